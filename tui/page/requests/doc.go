// Package wire is the page of the run's requests and their answers.
package requests
