// Package commands has what a client or the service's staff can do to orders,
// missions, quotes, accounts and endpoints: when it is possible, what it means,
// and the requests. Forms of the screen and verbs of the shell are made from it.
package commands
