// Package keep keeps how a profile likes things shown: small values by name,
// in one file.
package uistate
