package operations

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/widget/form"
)

// fromFiles is the choice to deliver files of this machine.
const fromFiles = "files"

// deliverData opens the form that delivers chosen files, or generated sample files.
func (d *operationsPage) deliverData(s *orderItem) tea.Cmd {
	m, o := s.mission, s.order
	what := &form.Field{ID: "files", Label: "Files", Kind: form.Choice, Options: []form.Option{
		{Value: "generate", Label: "sample files", Help: "generated for every ordered product", Quiet: true},
		{Value: fromFiles, Label: "choose files", Help: "from this machine; you select them next", Quiet: true},
	}}
	which, others := missionScope(s, api.MissionFlightScheduled)
	var todo missionBatch
	fields := []*form.Field{what}
	if which != nil {
		fields = append(fields, which)
	}
	lines := []string{m.MissionCode + "  " + m.MissionName + "  ·  " + o.OrderCode, "Ordered: " + labels.WordList(o.Deliverables, labels.DeliverableWord)}
	if len(m.Packages) > 0 {
		lines = append(lines, format.Count(len(m.Packages), "package", "packages")+" already delivered; this adds another.")
	}
	kinds := append([]api.Deliverable{api.DeliverableJPG}, o.Deliverables...)
	var sending []api.FileInput
	c := commands.DeliverData(&sending)
	q := fillIn(d, &requestForm{title: "Deliver: " + m.MissionCode, yes: "deliver", lines: lines}, c, m.UUID, nil, fields...)
	what.Set("generate")
	if which != nil {
		which.Set("one")
	}
	q.check = func(*form.Form) {
		if what.Value() == fromFiles && which != nil && which.Value() == "all" {
			which.Error = "files can be delivered for one mission only; sample files for all"
		}
	}
	q.pick = func() (string, []api.Deliverable, bool) {
		return "Files for " + m.MissionCode, distinctValues(kinds), what.Value() == fromFiles
	}
	q.send = func(ctx context.Context) (requestResult, error) {
		opened, err := openFiles(q.files, 0)
		if err != nil {
			return requestResult{}, err
		}
		defer opened.closeAll()
		sending = opened.inputs
		missions := chosenMissions(q.form, s, others)
		files, size := 0, int64(0)
		err = todo.eachMission(missions, func(m *api.OpsMission) error {
			p, err := c.Run(ctx, d.Ops, m.UUID)
			if err == nil {
				files, size = files+p.FileCount, size+p.TotalSize
			}
			return err
		})
		return requestResult{said: deliveredText(files, size) + " for " + missionNames(missions)}, err
	}
	return d.acts.openForm(q)
}

func deliveredText(files int, size int64) string {
	return "Delivered " + format.Count(files, "file", "files") + " (" + format.Bytes(size) + ")"
}

// distinctValues returns the values without duplicates, in order.
func distinctValues[T comparable](kinds []T) (once []T) {
	seen := map[T]bool{}
	for _, k := range kinds {
		if !seen[k] {
			once, seen[k] = append(once, k), true
		}
	}
	return once
}
