package missions

import (
	"io"
	"time"

	"flightdesk/tui/app/calendar"
	"flightdesk/tui/format"
	"flightdesk/tui/page/exportdialog"
)

// askCalendar asks for the file that flights and deadlines are written to.
func (l *MissionList) askCalendar() {
	missions, now, host := l.filteredMissions(), l.Now(), l.Host
	flights, deadlines := calendar.CountEvents(missions)
	says := format.Count(flights, "flight", "flights") + " and " + format.Count(deadlines, "deadline", "deadlines")
	l.saver.AskForFile(exportdialog.ExportJob{
		Title: "Export calendar", Help: says + " of the shown missions", Says: says,
		Write: func(to io.Writer, _ string) error { return calendar.WriteCalendar(to, missions, now, host) },
	}, "flights-"+now.Format(time.DateOnly)+".ics")
}
