// Which process holds which part of the grid: all of x, a slab of y and a slab of z.
//
// Ranks count along y first: rank = z part * py + y part. Processes with the same part of z form a row, which holds
// whole planes of x and y between them; those with the same part of y form a column, which holds planes of x and z.
#pragma once

#include <mpi.h>

#include <string>

#include "settings.hpp"

namespace vh1 {

class Pencils {
 public:
  // Collective over MPI_COMM_WORLD. Throws kit::UsageError on all ranks where the grid cannot be cut so.
  Pencils(const Settings& settings, int rank, int ranks);
  ~Pencils();
  Pencils(const Pencils&) = delete;
  Pencils& operator=(const Pencils&) = delete;

  MPI_Comm row() const { return row_; }
  MPI_Comm column() const { return column_; }
  int py() const { return py_; }
  int pz() const { return pz_; }

  int nx() const { return nx_; }
  int ny() const { return ny_; }  // of this process
  int nz() const { return nz_; }
  int first_y() const { return first_y_; }
  int first_z() const { return first_z_; }

  std::string described() const { return std::to_string(py_) + " x " + std::to_string(pz_) + " pencils"; }

 private:
  int py_ = 0;
  int pz_ = 0;
  int nx_;
  int ny_;
  int nz_;
  int first_y_;
  int first_z_;
  MPI_Comm row_ = MPI_COMM_NULL;
  MPI_Comm column_ = MPI_COMM_NULL;
};

}  // namespace vh1
