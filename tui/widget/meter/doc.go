// Package meter draws how far something has come: a label, a bar, a percentage
// and what else there is to say. It knows nothing of what is being done.
package meter
