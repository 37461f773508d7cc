package inspect

import (
	"io"
	"strings"

	"flightdesk/tui/app/timeline"
	"flightdesk/tui/page/exportdialog"
)

// reportJob writes a report as the ending of the file's name says.
func reportJob(title, what string, r *timeline.Report) exportdialog.Job {
	return exportdialog.Job{
		Title: title, Help: what + ", Markdown (.md) or .json; secrets masked", Says: "the report of " + what,
		Write: func(to io.Writer, ending string) error {
			if strings.EqualFold(ending, ".json") {
				return r.JSON(to)
			}
			return r.Markdown(to)
		},
	}
}
