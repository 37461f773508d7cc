// Package las reads what a delivered point cloud says about itself: the number of its points, their
// extent, its reference system, and from a sample of the points of an uncompressed file their
// classes and the part of the ground that they are on. Compressed files (LAZ, COPC) are read by
// their headers only.
//
// A file is hostile until proven otherwise: offsets and counts are compared with the size of the
// file, and the memory in use does not depend on the numbers that the file declares.
//
// The formats are those of the LAS specification 1.4-R15 (ASPRS, 2019), the LAZ specification
// 1.4-R1 (rapidlasso, 2021) and the COPC specification 1.0 (copc.io, 2021).
package las
