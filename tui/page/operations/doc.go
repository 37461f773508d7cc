// Package operations is Operations: what the service does with orders, keys
// and callbacks, and how it is paced, moved in time and made to fail where it is
// there to try things out.
package operations
