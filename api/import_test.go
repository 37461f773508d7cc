package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The README says how another module imports package api.
func TestAnotherModuleImportsTheAPIAsTheReadmeSays(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	clone, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for line := range strings.Lines(string(readme)) {
		if strings.HasPrefix(line, "go mod ") {
			commands = append(commands, strings.ReplaceAll(strings.TrimSpace(line), "../flightdesk", clone))
		}
	}
	if len(commands) != 2 || !strings.Contains(string(readme), "`flightdesk/api`") {
		t.Fatalf("the README has the commands %q", commands)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod": "module example.com/client\n\ngo 1.26\n",
		"main.go": `package main

import (
	"fmt"

	"flightdesk/api"
	"flightdesk/api/ops"
)

func main() { fmt.Println(api.Scopes(), ops.Stages()) }
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range append(commands, "go run .") {
		words := strings.Fields(line)
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
		cmd.Dir = dir
		// Most modules are in the cache already. go mod tidy also needs modules that only other systems build with.
		cmd.Env = append(os.Environ(), "GOSUMDB=off", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
}
