package inspect

import (
	"io"
	"strings"

	"flightdesk/tui/app/timeline"
	"flightdesk/tui/page/exportdialog"
)

// reportJob writes a report as the ending of the file's name says.
func reportJob(title, what string, r *timeline.TimelineReport) exportdialog.ExportJob {
	return exportdialog.ExportJob{
		Title: title, Help: what + ", Markdown (.md) or .json; secrets masked", Says: "the report of " + what,
		Write: func(to io.Writer, ending string) error {
			if strings.EqualFold(ending, ".json") {
				return r.WriteJSON(to)
			}
			return r.WriteMarkdown(to)
		},
	}
}
