// Package secrets keeps the signing secrets of endpoints: where they last, and
// else for this run.
package secrets
