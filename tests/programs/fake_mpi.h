// An MPI library for tests that need one process, many threads and no surprises: fake_mpi.c. Its handles and constants
// are MPICH's, so that the recorder takes it for one. Messages go to oneself or to MPI_PROC_NULL; every send is done at
// once; receives are done when they are asked about. FAKE_SIZE: the size of MPI_COMM_WORLD, of which this is rank 0.
#pragma once

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Request;
typedef int MPI_Op;
typedef int MPI_Errhandler;
typedef int MPI_Group;
typedef struct {
  int count_lo, count_hi_and_cancelled, MPI_SOURCE, MPI_TAG, MPI_ERROR;
} MPI_Status;
typedef void MPI_Comm_errhandler_function(MPI_Comm*, int*, ...);

#define MPI_SUCCESS 0
#define MPI_ERR_COMM 5
#define MPI_ERR_TYPE 3
#define MPI_ERR_ARG 12
#define MPI_ERR_REQUEST 19
#define MPI_COMM_NULL 0x04000000
#define MPI_COMM_WORLD 0x44000000
#define MPI_COMM_SELF 0x44000001
#define MPI_REQUEST_NULL 0x2c000000
#define MPI_BYTE 0x4c00010d
#define MPI_INT 0x4c000405
#define MPI_DOUBLE 0x4c00080b
#define MPI_SUM 0x58000003
#define MPI_PROC_NULL -1
#define MPI_ANY_SOURCE -2
#define MPI_ANY_TAG -1
#define MPI_STATUS_IGNORE ((MPI_Status*)1)
#define MPI_STATUSES_IGNORE ((MPI_Status*)1)
#define MPI_THREAD_SINGLE 0
#define MPI_THREAD_MULTIPLE 3

int MPI_Init(int*, char***);
int MPI_Init_thread(int*, char***, int, int*);
int MPI_Initialized(int*);
int MPI_Finalized(int*);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm, int);
int MPI_Comm_rank(MPI_Comm, int*);
int MPI_Comm_size(MPI_Comm, int*);
int MPI_Comm_dup(MPI_Comm, MPI_Comm*);
int MPI_Comm_free(MPI_Comm*);
int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler);
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function*, MPI_Errhandler*);
int MPI_Type_size(MPI_Datatype, int*);
int MPI_Send(const void*, int, MPI_Datatype, int, int, MPI_Comm);
int MPI_Recv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
int MPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int MPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int MPI_Wait(MPI_Request*, MPI_Status*);
int MPI_Test(MPI_Request*, int*, MPI_Status*);
int MPI_Waitall(int, MPI_Request*, MPI_Status*);
int MPI_Waitany(int, MPI_Request*, int*, MPI_Status*);
int MPI_Iprobe(int, int, MPI_Comm, int*, MPI_Status*);
int MPI_Barrier(MPI_Comm);
int MPI_Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Alltoallv(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*, MPI_Datatype,
                  MPI_Comm);
double MPI_Wtime(void);
