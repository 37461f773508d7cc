// Package las reads what a delivered point cloud says about itself: the number of its points, their
// extent and its reference system. From a sample of the points of an uncompressed file it reads their
// classes and the part of the ground that they cover. Only the headers of compressed files (LAZ,
// COPC) are read.
//
// A file is hostile until proven otherwise: offsets and counts are compared with the size of the
// file, and the memory in use does not depend on the numbers that the file declares.
//
// It follows the LAS specification 1.4-R15 (ASPRS, 2019), the LAZ specification
// 1.4-R1 (rapidlasso, 2021) and the COPC specification 1.0 (copc.io, 2021).
package las
