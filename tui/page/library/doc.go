// Package library has the page of the purchased datasets.
package library
