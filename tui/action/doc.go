// Package action is the one table of what can be done in the terminal app, and
// with which keys. The footer, the help and the key handling are all made from
// it.
package action
