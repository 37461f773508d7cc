package deliveries

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// verifyWork is the ID of verifying in the status row.
const verifyWork = "verify"

// nothingToVerify returns why no file can be verified, or "".
func (p *Page) nothingToVerify(*row) string {
	if p.verifying.IsOpen() {
		return "files are being verified"
	}
	return page.TextIf(len(p.downloadedFiles()) == 0, notHere)
}

// downloadedFiles returns the packages of the chosen files, each with the chosen files that
// are on disk.
func (p *Page) downloadedFiles() map[*deliveries.DeliveredPackage]fetch.Package {
	local := make(map[*deliveries.DeliveredPackage]fetch.Package)
	for pkg, files := range p.chosenFiles() {
		some := pkg.Package
		some.Files = nil
		for _, i := range files {
			if pkg.FileState(p.Env.Profile.Downloads, i).Step == deliveries.Here {
				some.Files = append(some.Files, pkg.Files[i])
			}
		}
		if len(some.Files) > 0 {
			local[pkg] = some
		}
	}
	return local
}

// verified is what verifying has found: how many files were read, and the names of those
// that changed.
type verified struct {
	files   int
	changed []string
}

// verifyChosen compares the chosen files with the digests that they were downloaded with.
func (p *Page) verifyChosen(*row) tea.Cmd {
	local, dir := p.downloadedFiles(), p.Env.Profile.Downloads.Dir()
	verify := page.AskInBackground(p.Base, &p.verifying, func(ctx context.Context) (verified, error) {
		var v verified
		for _, pkg := range local {
			states, err := fetch.VerifyFolder(ctx, dir, pkg, nil)
			if err != nil {
				return v, err
			}
			for _, s := range states {
				v.files++
				if !s.Whole {
					v.changed = append(v.changed, s.File.Name)
				}
			}
		}
		return v, nil
	}, p.reportVerified)
	start := page.SendMessage(page.WorkMsg{ID: verifyWork, Text: "Verifying downloads", Done: -1})
	return tea.Batch(start, verify)
}

// reportVerified says what verifying has found, and looks at the disk again.
func (p *Page) reportVerified(v verified, err error) tea.Cmd {
	end := page.SendMessage(page.WorkMsg{ID: verifyWork, Over: true})
	p.shelf.RecheckDisk()
	cmds := []tea.Cmd{end, p.settleRows()}
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		cmds = append(cmds, page.ShowToast(theme.Bad, "Verify: "+format.Clean(err.Error())))
	case len(v.changed) > 0:
		text := fmt.Sprintf("%s of %s changed since the download: %s", format.Count(len(v.changed), "file"),
			format.GroupInt(v.files), format.CutMiddle(format.Clean(v.changed[0]), 30))
		cmds = append(cmds, page.ShowToast(theme.Bad, text+"; f downloads again"))
	default:
		cmds = append(cmds, page.ShowToast(theme.Good, format.Count(v.files, "file")+" verified: unchanged since the download"))
	}
	return tea.Batch(cmds...)
}
