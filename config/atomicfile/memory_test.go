package atomicfile

import "testing"

func TestALogInMemoryKeepsNoLinesForAFile(t *testing.T) {
	log := NewLog[int]("", 0)
	if err := log.Append(7); err != nil {
		t.Fatal(err)
	}
	if log.next != nil {
		t.Errorf("lines wait for a file: %q", log.next.text)
	}
	if update, err := log.Read(); err != nil || len(update.Values) != 1 || update.Values[0] != 7 {
		t.Errorf("%+v, %v", update, err)
	}
}
