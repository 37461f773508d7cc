package columns

import (
	"testing"

	"github.com/go-json-experiment/json"
)

func TestTheTablesOfColumnsHaveNoUnknownMembers(t *testing.T) {
	var all map[string][]ColumnSpec
	err := json.Unmarshal(descriptions, &all, json.MatchCaseInsensitiveNames(true), json.RejectUnknownMembers(true))
	if err != nil {
		t.Fatal(err)
	}
	for table, specs := range all {
		seen := map[string]bool{}
		for _, c := range specs {
			switch c.Kind {
			case Words, Number, Area, Bytes, Money, Date, Status:
			default:
				t.Errorf("%s: %s is of no kind that there is: %s", table, c.MachineName(), c.Kind)
			}
			if name := c.MachineName(); name == "" || seen[name] {
				t.Errorf("%s: a column without a name, or with that of another: %q", table, name)
			}
			seen[c.MachineName()] = true
		}
	}
}
