package missions

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/page/exportdialog"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
)

const (
	mostFiles = 5  // packages, newest first, whose files are listed
	logDays   = 30 // how far back the endpoints' logs are read
)

// MissionPage is the page of one mission.
type MissionPage struct {
	detail.Page
	acts    []page.Act[mission]
	mission *mission
	parts   timeline.MissionParts
	facts   timeline.SubjectFacts
	entries []timeline.TimelineEntry
	located int  // version of the cache when the site was drawn
	logged  bool // the endpoints' logs are read; false too if the key is not allowed to
	permit  page.Question
}

// NewMission returns the page of a mission.
func NewMission(env *page.Env, m *mission) *MissionPage {
	p := &MissionPage{Page: detail.NewPage(env, "mission", 120, nil, nil), mission: m}
	p.acts = append(missionActs(env), []page.Act[mission]{
		{ID: action.Refresh, Do: func(*mission) tea.Cmd {
			p.Cache.RereadNeeds(p.DataNeeds()...)
			return nil
		}},
		{ID: action.CopyCode, Do: func(m *mission) tea.Cmd {
			return p.CopyText(layout.Clean(m.MissionCode), m.MissionCode)
		}},
		{ID: action.Permit, Off: p.permitRefusal, Do: p.savePermit},
		{
			ID: action.OpenPermit,
			Off: func(m *mission) string {
				off := p.permitRefusal(m)
				if off == "" && p.Opener == nil {
					off = "no app found to open files; press E to save it"
				}
				return off
			},
			Do: p.openPermit,
		},
		page.ResendAct(p.Base, action.ResendCallback, "no failed callbacks", func(m *mission) timeline.Undelivered {
			return timeline.Undelivered{Failures: p.facts.UndeliveredItems(), Of: m.MissionCode}
		}),
	}...)
	return p
}

// missionActs returns what is done with a mission in the list and on its page.
func missionActs(env *page.Env) []page.Act[mission] {
	return []page.Act[mission]{
		{ID: action.ShowOrder, Do: func(m *mission) tea.Cmd { return env.OpenOrder(m.Order) }},
		{ID: action.ShowTimeline, Do: func(m *mission) tea.Cmd { return env.OpenStory(subjectOf(m), "") }},
		{ID: action.ShowData, Do: func(m *mission) tea.Cmd {
			return env.Open(deliveries.NewOf(env, m.Order.OrderCode, m.UUID))
		}},
	}
}

func subjectOf(m *mission) timeline.StorySubject {
	return timeline.StorySubject{Order: m.Order.OrderCode, Mission: m.UUID}
}

// Title returns the mission's code.
func (p *MissionPage) Title() string { return p.mission.MissionCode }

// logStart returns the time from which the logs are read.
func (p *MissionPage) logStart() time.Time {
	since := p.Now().AddDate(0, 0, -logDays)
	if at := p.mission.CreatedAt.Time; at.After(since) {
		return at
	}
	return since
}

// DataNeeds requests the mission's parts, its order for status and shape, and the
// endpoints' logs.
func (p *MissionPage) DataNeeds() []cache.Need {
	parts, _ := timeline.PartsOf(p.Cache, p.mission.UUID, mostFiles)
	_, needs, _ := timeline.EndpointsOf(p.Cache, p.logStart())
	return append(append(parts.Needs, p.Cache.Details.NeedOf(p.mission.Order.OrderCode)), needs...)
}

// OnShow takes the newest data of the cache.
func (p *MissionPage) OnShow() tea.Cmd {
	p.locateMission()
	p.parts, p.State = timeline.PartsOf(p.Cache, p.mission.UUID, mostFiles)
	p.facts = timeline.SubjectFacts{
		Subject:  subjectOf(p.mission),
		Units:    p.Units,
		Order:    p.mission.Order,
		Missions: []timeline.Mission{timeline.MissionOf(p.mission)},
	}
	p.facts.Missions[0].MissionParts = p.parts
	var state cache.EntryState
	p.facts.Endpoints, _, state = timeline.EndpointsOf(p.Cache, p.logStart())
	p.logged = !state.ReadAt.IsZero() && state.Err == nil
	p.entries = timeline.SafeEntries(timeline.BuildEntries(&p.facts, p.Now()), p.Client.Mask)
	return nil
}

// locateMission takes the mission and its shape from its order once that is loaded, or
// from the list of all missions.
func (p *MissionPage) locateMission() {
	if p.located == p.Cache.Version() {
		return
	}
	p.located = p.Cache.Version()
	for _, m := range p.Cache.Now().Missions {
		if m.UUID == p.mission.UUID {
			p.mission = m
		}
	}
	site := p.mission.Located()
	if o, _ := p.Cache.Details.Get(p.mission.Order.OrderCode); o != nil {
		for i := range o.Missions {
			if m := cache.MissionOf(&o.Missions[i], o); m.UUID == p.mission.UUID {
				p.mission, site = m, m.Mission
			}
		}
	}
	if p.Site = nil; len(site.LocationMap) > 0 {
		p.Site = sitemap.New()
		p.Site.SetFeatures([]geomap.Feature{sitemap.MissionFeature(&site)})
	}
}

// Update handles new data.
func (p *MissionPage) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg, page.KeptMsg, page.UnitsMsg:
		return p.OnShow()
	}
	return nil
}

// ActionScopes returns the page's scope, and that of lists to scroll.
func (p *MissionPage) ActionScopes() []action.Scope {
	return []action.Scope{action.Mission, action.List}
}

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (p *MissionPage) DisabledReason(id action.ID) string {
	return page.FindAct(p.acts, id).DisabledReason(p.mission)
}

// HandleAction performs an action, or scrolls.
func (p *MissionPage) HandleAction(id action.ID) tea.Cmd {
	if act := page.FindAct(p.acts, id); act != nil {
		return act.Do(p.mission)
	}
	page.MoveList(&p.Scroll, id)
	return nil
}

// permitRefusal returns why the permit cannot be downloaded, "" if it can.
func (p *MissionPage) permitRefusal(*mission) string {
	switch {
	case p.State.IsUnread():
		return "still loading"
	case p.parts.Permission == nil:
		return "no flight permission recorded"
	case p.parts.Permission.PermitFileURL == nil:
		return "no permit attached"
	case p.permit.IsOpen():
		return "already downloading"
	}
	return ""
}

// savePermit asks for a file, and downloads the permit into it.
func (p *MissionPage) savePermit(m *mission) tea.Cmd {
	client, permission, ctx := p.Client, p.parts.Permission, p.PageLifetime().Context()
	address, _, _ := strings.Cut(*permission.PermitFileURL, "?")
	exportdialog.AskForFile(p.Base, exportdialog.ExportJob{
		Title: "Save flight permit",
		Help:  "The flight permit is downloaded to this file",
		Says:  "the flight permit",
		Write: func(to io.Writer, _ string) error {
			document, err := client.Missions.Permit(ctx, permission)
			if err == nil {
				_, err = to.Write(document)
			}
			return err
		},
	}, exportdialog.SafeName(m.MissionCode)+"-permit"+cmp.Or(path.Ext(address), ".pdf"))
	return nil
}

// permitEndings are the file extensions of permits that are opened.
var permitEndings = map[string]string{"application/pdf": ".pdf", "image/png": ".png", "image/jpeg": ".jpg"}

// openPermit downloads the permit and opens it in the system's default app, if it is a
// PDF or an image.
func (p *MissionPage) openPermit(m *mission) tea.Cmd {
	client, permission, folder, open := p.Client, p.parts.Permission, p.Scratch, p.Opener
	return page.AskInBackground(p.Base, &p.permit, func(ctx context.Context) (string, error) {
		document, err := client.Missions.Permit(ctx, permission)
		if err != nil {
			return "", err
		}
		ending := permitEndings[http.DetectContentType(document)]
		if ending == "" {
			return "", errors.New("only PDF and image permits are opened; press E to save it")
		}
		dir, err := folder()
		if err != nil {
			return "", err
		}
		name := exportdialog.SafeName(m.MissionCode) + "-permit" + ending
		if err := os.WriteFile(filepath.Join(dir, name), document, 0o600); err != nil {
			return "", err
		}
		return name, open(filepath.Join(dir, name))
	}, func(name string, err error) tea.Cmd {
		if err != nil {
			return page.ShowToast(theme.Bad, labels.FaultText(err))
		}
		return page.ShowToast(theme.Good, "Opened "+name)
	})
}

// View renders the mission: in two columns from 120 cells, with a map of the site if
// there is room.
func (p *MissionPage) View(w, h int) string {
	return p.DrawColumns(w/2, w, h, p.renderAbout, p.renderHistory)
}
