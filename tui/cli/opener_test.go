package cli

import "testing"

func TestEverySystemHasAProgramThatOpensFiles(t *testing.T) {
	for system, want := range map[string]string{"linux": "xdg-open", "freebsd": "xdg-open", "darwin": "open", "windows": "rundll32.exe"} {
		if name, _ := openCommand(system); name != want {
			t.Errorf("%s: %s, want %s", system, name, want)
		}
	}
}

func TestThereIsNoOpenerWithoutAProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if opener() != nil {
		t.Error("something opens files that is not there")
	}
}
