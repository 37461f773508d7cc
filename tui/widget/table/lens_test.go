package table_test

import (
	"cmp"
	"slices"
	"strconv"
	"testing"

	"flightdesk/tui/widget/table"
)

var fruit = [][]string{{"A1", "Äpfel", "30"}, {"B2", "Birnen", "4"}, {"C3", "Äpfel rot", "100"}, {"D4", "time 4:30", "4"}}

func look(l table.Lens) []string {
	columns := []table.Column{{Title: "Code"}, {Title: "Name"}, {Title: "Area ha"}}
	text := func(row, column int) string { return fruit[row][column] }
	rows := l.Apply(len(fruit), columns, text, func(a, b, column int) int {
		x, _ := strconv.Atoi(fruit[a][column])
		y, _ := strconv.Atoi(fruit[b][column])
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(fruit[a][column], fruit[b][column]))
	})
	codes := make([]string, len(rows))
	for i, r := range rows {
		codes[i] = fruit[r][0]
	}
	return codes
}

func TestRowsAreFilteredAndSorted(t *testing.T) {
	for name, c := range map[string]struct {
		lens table.Lens
		want []string
	}{
		"as they come":       {table.Lens{Sort: -1}, []string{"A1", "B2", "C3", "D4"}},
		"the other way":      {table.Lens{Sort: -1, Reverse: true}, []string{"D4", "C3", "B2", "A1"}},
		"any column":         {table.Lens{Sort: -1, Query: "äPF"}, []string{"A1", "C3"}},
		"all words":          {table.Lens{Sort: -1, Query: "äpfel rot"}, []string{"C3"}},
		"one column":         {table.Lens{Sort: -1, Query: "area:4"}, []string{"B2", "D4"}},
		"a column's start":   {table.Lens{Sort: -1, Query: "na:birn"}, []string{"B2"}},
		"a colon in a word":  {table.Lens{Sort: -1, Query: "4:30"}, []string{"D4"}},
		"nothing":            {table.Lens{Sort: -1, Query: "kiwi"}, nil},
		"by number":          {table.Lens{Sort: 2}, []string{"B2", "D4", "A1", "C3"}},
		"by number, reverse": {table.Lens{Sort: 2, Reverse: true}, []string{"C3", "A1", "B2", "D4"}},
	} {
		if got := look(c.lens); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestTheSortGoesRoundTheColumns(t *testing.T) {
	l := table.Lens{Sort: -1}
	var seen []int
	for range 5 {
		l.Turn(1, 3)
		seen = append(seen, l.Sort)
	}
	for range 2 {
		l.Turn(-1, 3)
		seen = append(seen, l.Sort)
	}
	if !slices.Equal(seen, []int{0, 1, 2, -1, 0, -1, 2}) {
		t.Errorf("the sort goes %v", seen)
	}
}
