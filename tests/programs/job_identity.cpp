// What the recorder takes for this process's job: name, identity, and three words about it.
#include <stdio.h>

#include "recorder/job/job.hpp"

int main() {
  static leadline::recorder::Job job;
  leadline::recorder::find_job(&job);
  printf("%s\n%s\n%s %s %s\n", job.name, job.identity, job.unique ? "unique" : "-", job.spawned ? "spawned" : "-",
         job.alone ? "alone" : "-");
}
