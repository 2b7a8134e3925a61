/* Hints to MPI-IO and PnetCDF: as text, and the sets that are tried. */
#include <stdio.h>
#include <string.h>

#include "field_file.h"

/* The first is what is used where nothing is chosen: PnetCDF would read the header in pieces of 256 KiB. The others are
 * that and: one aggregator, two, a larger buffer, two-phase I/O always and never, stripes. A library takes of them what
 * it knows. */
#define SMALL_HEADER "nc_header_read_chunk_size=16384"
static const char* const sets[] = {
    SMALL_HEADER,
    SMALL_HEADER ";cb_nodes=1",
    SMALL_HEADER ";cb_nodes=2",
    SMALL_HEADER ";cb_buffer_size=33554432",
    SMALL_HEADER ";romio_cb_read=enable;romio_cb_write=enable;collective_buffering=true",
    SMALL_HEADER ";romio_cb_read=disable;romio_cb_write=disable;collective_buffering=false",
    SMALL_HEADER ";striping_factor=4;striping_unit=1048576",
};
_Static_assert(sizeof sets / sizeof *sets == LEADLINE_FIELDIO_HINT_SETS, "the header has their number");

const char* leadline_fieldio_hint_set(int number) { return sets[number]; }

MPI_Info info_of(const char* hints, Report* report) {
  const char* at = hints != NULL ? hints : sets[0];
  MPI_Info info = MPI_INFO_NULL;
  if (*at == '\0') return info;
  MPI_Info_create(&info);
  while (*at != '\0') {
    const size_t length = strcspn(at, ";"), name_length = strcspn(at, "=;");
    char name[MPI_MAX_INFO_KEY], value[256];
    if (name_length == 0 || name_length + 1 >= length || name_length >= sizeof name ||
        length - name_length > sizeof value) {
      note(report, "hints: expected name=value;name=value, got '%.200s'", hints);
      break;
    }
    snprintf(name, sizeof name, "%.*s", (int)name_length, at);
    snprintf(value, sizeof value, "%.*s", (int)(length - name_length - 1), at + name_length + 1);
    MPI_Info_set(info, name, value);
    at += length + (at[length] == ';');
  }
  return info;
}
