// Package deliveries has the delivered packages and files, their state on this machine, and the
// rows that lists display. Its [Downloads] are the download queue of the app, which continues
// after a restart.
package deliveries
