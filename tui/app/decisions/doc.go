// Package decisions keeps what was decided on quotes, and the notes that were
// made on them, in a file of the user's own. The service knows nothing of it.
package decisions
