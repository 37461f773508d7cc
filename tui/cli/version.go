package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/kmlcsv/basemap"
	"flightdesk/kmlcsv/crs"
	"flightdesk/kmlcsv/places"
)

// released is the version of a release. The linker sets it.
var released = ""

// Version returns the version of the program, or "unreleased" if it was built without a version.
func Version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "unreleased"
}

func versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, or the licences",
		Long:  "Prints the version. --licences prints the licences of the program and of the data in it.",
		Example: `# for bug reports
flightdesk version --output json

# the embedded data and its licences
flightdesk version --licences`,
	}
	licences := false
	cmd.Flags().BoolVar(&licences, "licences", false, "print the licences of the program and its data")
	return definePrinting(cmd, func(c *Call) error {
		if licences {
			return printLicences(c)
		}
		return printVersion(c)
	})
}

// printVersion prints the versions of the program and of Go, and the platform.
func printVersion(c *Call) error {
	value := map[string]string{
		"version": Version(),
		"go":      runtime.Version(),
		"os":      runtime.GOOS,
		"arch":    runtime.GOARCH,
	}
	return c.PrintResult(value, fmt.Sprintf("flightdesk %s, %s, %s/%s",
		Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH))
}

func aboutCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "about",
		Short: "Show the licences of the program and its data",
		Example: `# the embedded data and its licences
flightdesk about`,
	}
	return definePrinting(cmd, printLicences)
}

// printLicences prints the licences of the program and of its embedded data, and the attributions that
// the licences of the data require.
func printLicences(c *Call) error {
	credits := []string{places.Attribution, basemap.Attribution, crs.Attribution}
	value := map[string]any{
		"name":    "flightdesk",
		"licence": "MIT",
		"version": Version(),
		"data":    credits,
	}
	return c.PrintParts(value, func(to *textWriter) {
		fmt.Fprintf(to, about, Version(), strings.Join(credits, "\n  "))
	})
}

const about = `flightdesk %s, a terminal app for drone-survey orders, under the MIT licence.

It embeds:
  %s
`
