/* Exchanges with neighbours: too many messages, and textbook forms that are healthy. */
#include "suite.h"

static double field[64][4000];

CASE(many_small) { /* each row of a field is a message */
  for (int step = 0; step < steps; ++step) {
    compute(300);
    if (mended) {
      swap_faces(out, 60 * 20);
    } else {
      for (int row = 0; row < 60; ++row) {
        swap_faces(field[row], 20);
        field[row][100] += in[0];
      }
    }
  }
}

CASE(number_by_number) { /* a column is sent element by element; its datatype sends it at once */
  MPI_Datatype column;
  MPI_Type_vector(64, 1, 4000, MPI_DOUBLE, &column), MPI_Type_commit(&column);
  for (int step = 0; step < steps; ++step) {
    compute(300);
    MPI_Request all[128];
    if (mended) {
      MPI_Irecv(in, 64, MPI_DOUBLE, left, 1, COMM, &all[0]);
      MPI_Isend(field[0], 1, column, right, 1, COMM, &all[1]);
      MPI_Waitall(2, all, NO_STATUSES);
    } else {
      for (int i = 0; i < 64; ++i) MPI_Irecv(in + i, 1, MPI_DOUBLE, left, 1, COMM, &all[i]);
      for (int i = 0; i < 64; ++i) MPI_Isend(field[i], 1, MPI_DOUBLE, right, 1, COMM, &all[64 + i]);
      MPI_Waitall(128, all, NO_STATUSES);
    }
  }
  MPI_Type_free(&column);
}

CASE(fields_in_a_row) { /* eight fields, one after another; together they are one exchange */
  for (int step = 0; step < steps; ++step) {
    compute(150);
    if (mended) {
      swap_faces(out, 8 * 100);
    } else {
      swap_faces(field[0], 100);
      swap_faces(field[1], 100);
      swap_faces(field[2], 100);
      swap_faces(field[3], 100);
      swap_faces(field[4], 100);
      swap_faces(field[5], 100);
      swap_faces(field[6], 100);
      swap_faces(field[7], 100);
    }
  }
}

CASE(fields_in_a_loop) { /* 24 fields, computed one after another, then all exchanged in a loop */
  for (int step = 0; step < steps; ++step) {
    compute(250);
    if (mended) {
      swap_faces(out, 24 * 100);
    } else {
      for (int f = 0; f < 24; ++f) swap_faces(field[f], 100);
    }
    compute(100);
  }
}

CASE(no_overlap) { /* large faces are waited for before computation that does not need them */
  for (int step = 0; step < steps; ++step) {
    MPI_Request all[4];
    MPI_Irecv(in, 150000, MPI_DOUBLE, below, 1, COMM, &all[0]);
    MPI_Irecv(in + 150000, 150000, MPI_DOUBLE, above, 2, COMM, &all[1]);
    MPI_Isend(out, 150000, MPI_DOUBLE, below, 2, COMM, &all[2]);
    MPI_Isend(out + 150000, 150000, MPI_DOUBLE, above, 1, COMM, &all[3]);
    if (!mended) MPI_Waitall(4, all, NO_STATUSES);
    for (int piece = 0; piece < 8; ++piece) {
      int done;
      compute(100);
      if (mended) MPI_Testall(4, all, &done, NO_STATUSES);
    }
    if (mended) MPI_Waitall(4, all, NO_STATUSES);
  }
}

HEALTHY(healthy_halo) { /* overlapped */
  for (int step = 0; step < steps; ++step) {
    MPI_Request all[4];
    MPI_Irecv(in, 500, MPI_DOUBLE, below, 1, COMM, &all[0]);
    MPI_Irecv(in + 500, 500, MPI_DOUBLE, above, 2, COMM, &all[1]);
    MPI_Isend(out, 500, MPI_DOUBLE, below, 2, COMM, &all[2]);
    MPI_Isend(out + 500, 500, MPI_DOUBLE, above, 1, COMM, &all[3]);
    compute(1500);
    MPI_Waitall(4, all, NO_STATUSES);
  }
}

HEALTHY(healthy_ring) { /* two shifts in a ring; on two ranks both go to the same one */
  for (int step = 0; step < steps; ++step) {
    compute(1500);
    MPI_Sendrecv(out, 400, MPI_DOUBLE, right, 1, in, 400, MPI_DOUBLE, left, 1, COMM, NO_STATUS);
    MPI_Sendrecv(out + 400, 400, MPI_DOUBLE, left, 2, in + 400, 400, MPI_DOUBLE, right, 2, COMM, NO_STATUS);
  }
}

HEALTHY(healthy_textbook) { /* receives first, then blocking sends */
  for (int step = 0; step < steps; ++step) {
    MPI_Request all[2];
    compute(1500);
    MPI_Irecv(in, 2000, MPI_DOUBLE, left, 1, COMM, &all[0]);
    MPI_Irecv(in + 2000, 2000, MPI_DOUBLE, right, 2, COMM, &all[1]);
    MPI_Send(out, 2000, MPI_DOUBLE, left, 2, COMM);
    MPI_Send(out, 2000, MPI_DOUBLE, right, 1, COMM);
    MPI_Waitall(2, all, NO_STATUSES);
  }
}

HEALTHY(healthy_red_black) { /* the second colour needs the first one's values */
  for (int step = 0; step < steps; ++step) {
    compute(700);
    swap_faces(out, 200);
    compute(700);
    swap_faces(out + 1000, 200);
  }
}

HEALTHY(healthy_levels) { /* a cycle over grids, coarser and coarser */
  for (int step = 0; step < steps; ++step) {
    for (int level = 0; level < 4; ++level) {
      compute(900 >> level);
      swap_faces(out, 400 >> level);
    }
  }
}

HEALTHY(healthy_persistent) {
  MPI_Request all[4];
  MPI_Recv_init(in, 500, MPI_DOUBLE, below, 1, COMM, &all[0]);
  MPI_Recv_init(in + 500, 500, MPI_DOUBLE, above, 2, COMM, &all[1]);
  MPI_Send_init(out, 500, MPI_DOUBLE, below, 2, COMM, &all[2]);
  MPI_Send_init(out + 500, 500, MPI_DOUBLE, above, 1, COMM, &all[3]);
  for (int step = 0; step < steps; ++step) {
    MPI_Startall(4, all);
    compute(1500);
    MPI_Waitall(4, all, NO_STATUSES);
  }
  for (int i = 0; i < 4; ++i) MPI_Request_free(&all[i]);
}

HEALTHY(healthy_systolic) { /* a block goes round the ring while the last one is multiplied */
  for (int step = 0; step < steps; ++step) {
    MPI_Request all[2];
    double* now = step % 2 ? out : in;
    double* next = step % 2 ? in : out;
    MPI_Irecv(next, 3000, MPI_DOUBLE, left, 1, COMM, &all[0]);
    MPI_Isend(now, 3000, MPI_DOUBLE, right, 1, COMM, &all[1]);
    compute(1500);
    MPI_Waitall(2, all, NO_STATUSES);
  }
}

HEALTHY(healthy_puts) { /* halos by puts between fences */
  MPI_Win window;
  MPI_Win_create(in, sizeof in, sizeof *in, MPI_INFO_NULL, COMM, &window);
  MPI_Win_fence(0, window);
  for (int step = 0; step < steps; ++step) {
    if (below != MPI_PROC_NULL) MPI_Put(out, 300, MPI_DOUBLE, below, 300, 300, MPI_DOUBLE, window);
    if (above != MPI_PROC_NULL) MPI_Put(out + 300, 300, MPI_DOUBLE, above, 0, 300, MPI_DOUBLE, window);
    compute(1500);
    MPI_Win_fence(0, window);
  }
  MPI_Win_free(&window);
}

HEALTHY(healthy_meeting) { /* each rank exchanges with another one in each step, as replicas do */
  for (int step = 0; step < steps; ++step) {
    int partner = rank ^ (1 + step % (size - 1));
    compute(1500);
    MPI_Sendrecv(out, 50, MPI_DOUBLE, partner, 1, in, 50, MPI_DOUBLE, partner, 1, COMM, NO_STATUS);
  }
}

PROGRAM(IS(many_small), IS(number_by_number), IS(fields_in_a_row), IS(fields_in_a_loop), IS(no_overlap),
        IS(healthy_halo), IS(healthy_ring), IS(healthy_textbook), IS(healthy_red_black), IS(healthy_levels),
        IS(healthy_persistent), IS(healthy_systolic), IS(healthy_puts), IS(healthy_meeting))
