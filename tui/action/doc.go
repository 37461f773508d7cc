// Package action has the table of the terminal app's actions and their keys. Footer, help and key
// handling use it.
package action
