package store

import (
	"fmt"
	"strconv"
	"strings"
)

// placeholders returns the list ($from, $from+1, …) with n placeholders.
func placeholders(from, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "$" + strconv.Itoa(from+i)
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// rowPlaceholders returns the placeholder lists of several rows, separated by commas.
func rowPlaceholders(rows, columns int) string {
	list := make([]string, rows)
	for i := range list {
		list[i] = placeholders(1+i*columns, columns)
	}
	return strings.Join(list, ", ")
}

// inList is a condition on a column: its value is one of the IDs in $1, a JSON list from listIDs.
const inList = ` IN (SELECT value FROM json_each($1))`

// inTexts is a condition on a column: its value is one of the texts in $2, which is a JSON list.
const inTexts = ` IN (SELECT value FROM json_each($2))`

// listIDs returns IDs as a JSON list.
func listIDs(ids []int64) string { return strings.ReplaceAll(fmt.Sprint(ids), " ", ",") }
