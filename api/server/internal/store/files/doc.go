// Package files stores the content of files: deliveries and permits. The database has
// their names and descriptions. Here a file has a key that the service generates, so a
// name from outside is never used as a path.
package files
