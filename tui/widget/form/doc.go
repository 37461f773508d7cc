// Package form is a column of fields to fill in: texts, dates, one choice or
// several. It knows nothing of what the fields are for.
package form
