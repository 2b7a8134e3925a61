/* Reading and writing. The files are in the working directory, and are removed. */
#include "suite.h"

#define BLOCK 20000 /* numbers of a rank: 160 kB */

/* A file with a block for each rank, which rank 0 makes. */
OWN void make_input(const char* name) {
  if (!rank) {
    int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    for (int r = 0; r < size; ++r) pwrite(file, out, BLOCK * sizeof *out, (off_t)r * BLOCK * sizeof *out);
    close(file);
  }
  MPI_Barrier(COMM);
}

OWN void remove_file(const char* name) {
  MPI_Barrier(COMM);
  if (!rank) unlink(name);
}

CASE(read_by_all) { /* every rank reads all of the file, of which it needs its block */
  make_input("read-by-all.dat");
  for (int step = 0; step < steps; ++step) {
    int file = open("read-by-all.dat", O_RDONLY);
    compute(100);
    if (mended)
      pread(file, in, BLOCK * sizeof *in, (off_t)rank * BLOCK * sizeof *in);
    else
      pread(file, in, size * BLOCK * sizeof *in, 0);
    close(file);
    sum();
  }
  remove_file("read-by-all.dat");
}

CASE(root_reads) { /* rank 0 reads for all and sends the blocks */
  make_input("root-reads.dat");
  int file = open("root-reads.dat", O_RDONLY);
  for (int step = 0; step < steps; ++step) {
    compute(100);
    if (mended) {
      pread(file, in, BLOCK * sizeof *in, (off_t)rank * BLOCK * sizeof *in);
    } else if (rank) {
      MPI_Recv(in, BLOCK, MPI_DOUBLE, 0, 1, COMM, NO_STATUS);
    } else {
      for (int r = 0; r < size; ++r) {
        pread(file, in, BLOCK * sizeof *in, (off_t)r * BLOCK * sizeof *in);
        if (r) MPI_Send(in, BLOCK, MPI_DOUBLE, r, 1, COMM);
      }
    }
    sum();
  }
  close(file);
  remove_file("root-reads.dat");
}

CASE(serial_output) { /* rank 0 receives and writes what all have */
  int file = open("serial-output.dat", O_CREAT | O_RDWR, 0600);
  for (int step = 0; step < steps; ++step) {
    compute(300);
    if (mended) {
      pwrite(file, out, BLOCK * sizeof *out, (off_t)rank * BLOCK * sizeof *out);
    } else if (rank) {
      MPI_Send(out, BLOCK, MPI_DOUBLE, 0, 1, COMM);
    } else {
      pwrite(file, out, BLOCK * sizeof *out, 0);
      for (int r = 1; r < size; ++r) {
        MPI_Recv(in, BLOCK, MPI_DOUBLE, r, 1, COMM, NO_STATUS);
        pwrite(file, in, BLOCK * sizeof *in, (off_t)r * BLOCK * sizeof *in);
      }
    }
    sum();
  }
  close(file);
  remove_file("serial-output.dat");
}

CASE(small_writes) { /* number by number */
  char name[64];
  sprintf(name, "small-writes-%d.dat", rank);
  int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  for (int step = 0; step < steps; ++step) {
    compute(300);
    if (mended)
      pwrite(file, out, 500 * sizeof *out, 0);
    else
      for (int i = 0; i < 500; ++i) pwrite(file, out + i, sizeof *out, i * (off_t)sizeof *out);
    sum();
  }
  close(file), unlink(name);
}

CASE(opened_each_step) { /* one line of output, for which a file is opened and closed */
  int file = -1;
  if (mended) file = open("opened.log", O_CREAT | O_APPEND | O_WRONLY, 0600);
  for (int step = 0; step < steps; ++step) {
    compute(100);
    for (int i = 0; i < 20; ++i) {
      if (!mended) file = open("opened.log", O_CREAT | O_APPEND | O_WRONLY, 0600);
      write(file, "a line of output\n", 17);
      if (!mended) close(file);
    }
    sum();
  }
  if (mended) close(file);
  remove_file("opened.log");
}

CASE(file_per_step) { /* every rank writes a file in each step */
  char name[64] = "file-per-step.dat";
  int file = -1;
  if (mended) file = open(name, O_CREAT | O_WRONLY, 0600);
  for (int step = 0; step < steps; ++step) {
    compute(200);
    if (!mended) {
      sprintf(name, "part.%04d.%04d", step, rank);
      file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    }
    pwrite(file, out, 4000, 4000L * rank);
    if (!mended) close(file), unlink(name);
    sum();
  }
  if (mended) close(file), remove_file(name);
}

CASE(reopened_input) { /* each rank opens a file again for each part that it reads */
  make_input("reopened.dat");
  int file = open("reopened.dat", O_RDONLY);
  for (int step = 0; step < steps; ++step) {
    compute(40);
    if (!mended) {
      for (int i = 0; i < 10; ++i) {
        int again = open("reopened.dat", O_RDONLY);
        pread(again, in, 4096, (off_t)rank * BLOCK * sizeof *in + i * 4096L);
        close(again);
      }
    } else {
      for (int i = 0; i < 10; ++i) pread(file, in, 4096, (off_t)rank * BLOCK * sizeof *in + i * 4096L);
    }
    sum();
  }
  close(file);
  remove_file("reopened.dat");
}

CASE(flushed_lines) { /* rank 0 has each of its lines written to the disk at once */
  int file = rank ? -1 : open("flushed.log", O_CREAT | O_TRUNC | O_WRONLY, 0600);
  for (int step = 0; step < steps; ++step) {
    compute(1000);
    if (!rank) write(file, "a line of output\n", 17);
    if (!rank && !mended) fsync(file);
    sum();
  }
  if (!rank) close(file), unlink("flushed.log");
}

CASE(independent_pieces) { /* a strided array through MPI-IO, piece by piece; a view moves it at once */
  MPI_File file;
  MPI_File_open(COMM, "pieces.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  for (int step = 0; step < steps; ++step) {
    compute(300);
    if (mended)
      MPI_File_write_at(file, (MPI_Offset)rank * 64 * 800, out, 64 * 100, MPI_DOUBLE, NO_STATUS);
    else
      for (int i = 0; i < 64; ++i)
        MPI_File_write_at(file, ((MPI_Offset)i * size + rank) * 800, out, 100, MPI_DOUBLE, NO_STATUS);
    sum();
  }
  MPI_File_close(&file);
  remove_file("pieces.dat");
}

HEALTHY(healthy_output) { /* each rank writes its part, rarely */
  int file = open("healthy-output.dat", O_CREAT | O_WRONLY, 0600);
  for (int step = 0; step < steps; ++step) {
    compute(1500);
    if (step % 50 == 49) pwrite(file, out, 8000, (off_t)rank * 8000);
    sum();
  }
  close(file);
  remove_file("healthy-output.dat");
}

HEALTHY(healthy_input) { /* each rank reads its part at the beginning */
  make_input("healthy-input.dat");
  int file = open("healthy-input.dat", O_RDONLY);
  pread(file, in, 8000, (off_t)rank * 8000);
  close(file);
  for (int step = 0; step < steps; ++step) {
    compute(1500);
    swap_faces(out, 100);
  }
  remove_file("healthy-input.dat");
}

HEALTHY(healthy_snapshots) { /* each rank opens a file for its part of each snapshot */
  for (int step = 0; step < steps; ++step) {
    compute(1500);
    if (step % 4 == 3) {
      int file = open("healthy-snapshots.dat", O_CREAT | O_WRONLY, 0600);
      pwrite(file, out, 8000, (off_t)rank * 8000);
      close(file);
    }
    sum();
  }
  remove_file("healthy-snapshots.dat");
}

PROGRAM(IS(read_by_all), IS(root_reads), IS(serial_output), IS(small_writes), IS(opened_each_step), IS(file_per_step),
        IS(reopened_input), IS(flushed_lines), IS(independent_pieces), IS(healthy_output), IS(healthy_input),
        IS(healthy_snapshots))
