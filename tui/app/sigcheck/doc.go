// Package examine looks at a callback and says whether it verifies, and if not,
// why: what was altered, what was signed with, what is out of time. It knows
// the usual mistakes and tries them. No secret is in what it says.
package sigcheck
