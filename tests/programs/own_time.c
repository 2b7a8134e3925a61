// Computes nothing, and gives the recorder much to do: 5,000 communicators that are kept or freed at once, calls from
// 400 places, and pauses of the recording that begin and end at 100 places each.
#include <mpi.h>

#define CALL MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
#define TEN CALL CALL CALL CALL CALL CALL CALL CALL CALL CALL
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define PAUSE MPI_Pcontrol(0), MPI_Pcontrol(1);
#define TEN_PAUSES PAUSE PAUSE PAUSE PAUSE PAUSE PAUSE PAUSE PAUSE PAUSE PAUSE
#define HUNDRED_PAUSES \
  TEN_PAUSES TEN_PAUSES TEN_PAUSES TEN_PAUSES TEN_PAUSES TEN_PAUSES TEN_PAUSES TEN_PAUSES TEN_PAUSES TEN_PAUSES

int main(int argc, char** argv) {
  static MPI_Comm kept[1000];
  int out = 1, in = 0;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 4000; ++i) {
    MPI_Comm freed;
    MPI_Comm_dup(MPI_COMM_SELF, &freed);
    MPI_Comm_free(&freed);
  }
  for (int i = 0; i < 1000; ++i) MPI_Comm_dup(MPI_COMM_SELF, &kept[i]);
  HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED_PAUSES for (int i = 0; i < 1000; ++i) MPI_Comm_free(&kept[i]);
  MPI_Finalize();
  return in != 1;
}
