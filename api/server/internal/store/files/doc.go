// Package files keeps the service's files: deliveries and permits. What is
// known about a file, its name included, is the database's; here a file has a
// key of the service's own making, so that no name that came from outside is
// ever a path.
package files
