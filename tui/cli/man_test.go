package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"flightdesk/config"
)

func TestTheManualHasEveryCommandAndFlag(t *testing.T) {
	p := &program{Env: config.SystemEnv()}
	root := rootCommand(p)
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs([]string{"help", "--man"})
	if err := root.ExecuteContext(t.Context()); err != nil || p.Fault != nil {
		t.Fatal(err, p.Fault)
	}
	page := out.String()
	for _, cmd := range allCommands(root) {
		if cmd != root && !cmd.Hidden && cmd.Name() != "help" && !strings.Contains(page, "\n.SS "+roff.Replace(cmd.CommandPath())) {
			t.Errorf("%s is not there", cmd.CommandPath())
		}
		if cmd.Hidden || cmd.Name() == "help" {
			continue
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Name != "help" && f.Name != "version" && !strings.Contains(page, roff.Replace("--"+f.Name)) {
				t.Errorf("%s --%s is not there", cmd.CommandPath(), f.Name)
			}
		})
	}
	for line := range strings.Lines(page) {
		macro, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		known := slices.Contains([]string{".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".EX", ".EE"}, macro)
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !known {
			t.Errorf("%q is no macro that is meant", line)
		}
	}
	if !strings.HasPrefix(page, ".TH FLIGHTDESK 1 \"\" \"flightdesk "+roff.Replace(Version())+"\"") {
		t.Errorf("it begins %q", page[:60])
	}
}

func TestTheManualEscapesText(t *testing.T) {
	for text, want := range map[string]string{
		".hidden": `\&.hidden`, "'quoted'": `\&'quoted'`, `C:\sites`: `C:\esites`, "--plain": `\-\-plain`,
	} {
		var m manual
		if m.add(".PP\n", "above\n"+text); m.String() != ".PP\nabove\n"+want+"\n" {
			t.Errorf("%q is written %q", text, m.String())
		}
	}
}
