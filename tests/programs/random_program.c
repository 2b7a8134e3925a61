// A random program: a tree of nested loops with communication at its leaves, drawn from a seed. Free of deadlocks by
// construction: every rank draws the same from the shared numbers, receives are posted before anything is sent, and
// wildcards have communicators of their own. Differences between ranks (extra traffic to nobody and to oneself, orders
// of completion) affect no other rank.  random_program SEED PROFILE CALLS
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { room = 4096, most_requests = 64, comm_kinds = 4, most_nodes = 64 };

typedef struct {
  uint64_t state;
} Numbers;

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static int draw(Numbers* numbers, int below) {
  numbers->state += 0x9e3779b97f4a7c15u;
  return (int)(mix(numbers->state) % (uint64_t)below);
}

static Numbers shared, own;  // the same on all ranks; different on each
static int rank, size;
static MPI_Comm comms[comm_kinds], any_source_comm, any_comm;
static int out[room], in[most_requests][room];
static long check, step, leaves, most_leaves;

// What a loop or leaf of the tree is; `vary_` says what is drawn afresh at every visit.
typedef struct {
  int kind, trips, vary_trips, vary_size, vary_tag, vary_partner, step_tag, comm, tag, words, shift, fan, completion;
  int children, first_child;
} Node;
static Node nodes[most_nodes];
static int node_count;

typedef enum {
  mixed,
  structureless,
  deep,
  tag_is_step,
  sizes_vary,
  halo26,
  ranks_differ,
  polling,
  wait_orders,
  wild,
  profiles
} Profile;
static const char* const profile_names[profiles] = {"mixed",  "structureless", "deep",    "tag_is_step", "sizes_vary",
                                                    "halo26", "ranks_differ",  "polling", "wait_orders", "wild"};

#include "random_leaves.h"

static void draw_leaf(Node* node, Profile profile) {
  static const int usual[] = {0, 0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 11};
  node->kind = usual[draw(&shared, (int)(sizeof usual / sizeof *usual))];
  node->comm = draw(&shared, comm_kinds);
  node->tag = draw(&shared, 50);
  node->words = 1 + draw(&shared, 200);
  node->shift = draw(&shared, size);
  node->fan = 1 + draw(&shared, 4);
  node->completion = draw(&shared, 6);
  node->vary_size = draw(&shared, 5) == 0;
  node->vary_tag = draw(&shared, 8) == 0;
  node->vary_partner = draw(&shared, 8) == 0;
  node->step_tag = draw(&shared, 8) == 0;
  switch (profile) {
    case structureless:
      node->vary_size = node->vary_tag = node->vary_partner = 1;
      break;
    case tag_is_step:
      node->step_tag = 1;
      break;
    case sizes_vary:
      node->vary_size = 1;
      break;
    case halo26:
      node->kind = draw(&shared, 3) ? 10 : 4;
      break;
    case ranks_differ:
      if (draw(&shared, 2)) node->kind = 9;
      break;
    case polling:
      node->kind = (int[]){2, 5, 7}[draw(&shared, 3)];
      node->completion = 3 + draw(&shared, 3);
      break;
    case wait_orders:
      node->kind = 2;
      node->fan = 4;
      node->completion = draw(&shared, 4);
      break;
    case wild:
      node->kind = (int[]){6, 6, 12, 0}[draw(&shared, 4)];
      break;
    default:
      break;
  }
}

static int child_order[most_nodes * 8], ordered;

static int draw_tree(int levels, Profile profile) {
  const int place = node_count++;
  Node* node = &nodes[place];
  int made[8], children = 1 + draw(&shared, profile == deep ? 2 : 4);
  node->kind = -1;
  node->trips = profile == deep ? 2 + draw(&shared, 4) : 1 + draw(&shared, 12);
  node->vary_trips = profile != deep && draw(&shared, 3) == 0;
  for (int i = 0; i < children; ++i) {
    if (levels > 1 && node_count < most_nodes / 2 && (i == 0 || draw(&shared, 3) == 0)) {
      made[i] = draw_tree(levels - 1, profile);
    } else {
      made[i] = node_count++;
      draw_leaf(&nodes[made[i]], profile);
    }
  }
  node->children = children;
  node->first_child = ordered;
  for (int i = 0; i < children; ++i) child_order[ordered++] = made[i];
  return place;
}

static void visit(const Node* node) {
  if (node->kind >= 0) {
    if (leaves++ < most_leaves) leaf(node);
    return;
  }
  const int trips = node->vary_trips ? draw(&shared, node->trips + 1) : node->trips;
  for (int i = 0; i < trips && leaves < most_leaves; ++i, ++step)
    for (int j = 0; j < node->children; ++j) visit(&nodes[child_order[node->first_child + j]]);
}

// Where asked for: the greatest resident size so far.
static void say_peak(void) {
  char line[256];
  FILE* status = getenv("SAY_PEAK") ? fopen("/proc/self/status", "r") : NULL;
  if (!status) return;
  while (fgets(line, sizeof(line), status))
    if (!strncmp(line, "VmHWM:", 6)) fprintf(stderr, "peak %ld\n", atol(line + 6));
  fclose(status);
}

int main(int argc, char** argv) {
  const long seed = argc > 1 ? atol(argv[1]) : 1;
  int profile = 0;
  for (int i = 0; i < profiles; ++i)
    if (argc > 2 && strcmp(argv[2], profile_names[i]) == 0) profile = i;
  most_leaves = argc > 3 ? atol(argv[3]) : 500;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  shared.state = mix((uint64_t)seed);
  own.state = mix((uint64_t)seed * 1000 + (uint64_t)rank + 1);
  for (int i = 0; i < room; ++i) out[i] = rank + i % 7;
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comms[2]);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[3]);
  MPI_Comm_dup(MPI_COMM_WORLD, &any_source_comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &any_comm);
  const int root = draw_tree(profile == deep ? 4 : 1 + draw(&shared, 3), (Profile)profile);
  while (leaves < most_leaves) visit(&nodes[root]);
  for (int i = 1; i < comm_kinds; ++i) MPI_Comm_free(&comms[i]);
  MPI_Comm_free(&any_source_comm);
  MPI_Comm_free(&any_comm);
  printf("rank %d of %d: check %ld\n", rank, size, check);
  say_peak();
  MPI_Finalize();
  return 0;
}
