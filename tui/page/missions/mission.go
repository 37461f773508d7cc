package missions

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/page/exportdialog"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
)

// mostFiles is the number of packages, newest first, whose files are listed.
const mostFiles = 5

// MissionPage is the page of one mission.
type MissionPage struct {
	detail.Page
	mission *cache.Mission
	story   timeline.MissionParts
	fetched page.Question
	opened  page.Question
	logs    callbackLogs
	saver   *exportdialog.FileSaver
	resend  *page.UndeliveredResender
	site    siteMap
}

// NewMission returns the page of a mission.
func NewMission(env *page.Env, m *cache.Mission) *MissionPage {
	p := &MissionPage{Page: detail.NewPage(env, "mission", 120, nil, nil), mission: m, site: newSiteMap(m)}
	p.saver, p.resend = exportdialog.New(p.Base), page.NewResender(p.Base)
	return p
}

// Title returns the mission's code.
func (p *MissionPage) Title() string { return p.mission.MissionCode }

type (
	permitAnswer = page.QuestionAnswer[[]byte]
	openedAnswer = page.QuestionAnswer[string]
)

// DataNeeds requests the mission's parts, its order for status and shape, and the
// endpoints' logs.
func (p *MissionPage) DataNeeds() []cache.Need {
	needs := append(timeline.PartNeeds(p.Cache, p.mission.UUID, mostFiles), p.Cache.Orders.NeedOf(cache.Account))
	if _, state := p.Cache.MissionsOf(p.mission.Order); state.IsUnread() { // for the mission's status
		needs = append(needs, p.Cache.NeedMissions(p.mission.Order))
	}
	if !p.site.whole {
		needs = append(needs, p.Cache.Details.NeedOf(p.mission.Order.OrderCode))
	}
	return append(needs, timeline.EndpointNeeds(p.Cache, p.logStart())...)
}

// OnShow takes the newest data of the cache.
func (p *MissionPage) OnShow() tea.Cmd {
	p.updateFromCache()
	return nil
}

// updateFromCache takes the newest data of the cache.
func (p *MissionPage) updateFromCache() {
	for _, m := range p.Cache.Now().Missions {
		if m.UUID == p.mission.UUID {
			p.mission = m
			break
		}
	}
	p.story, p.State = timeline.PartsOf(p.Cache, p.mission.UUID, mostFiles)
	since := p.logStart()
	if endpoints, state := timeline.EndpointsOf(p.Cache, since); !state.ReadAt.IsZero() && state.Err == nil {
		p.logs = callbackLogs{endpoints, true, since}
	}
	p.locateMission()
}

// Update handles new data, the permit and messages of the dialogs.
func (p *MissionPage) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.ReadMsg, page.KeptMsg:
		p.updateFromCache()
	case permitAnswer:
		if msg.TakeAnswer() {
			return p.askPermit(msg.Value, msg.Err)
		}
	case openedAnswer:
		return reportPermit(msg)
	default:
		cmd, taken := p.resend.Update(msg)
		if !taken {
			cmd, _ = p.saver.Update(msg)
		}
		return cmd
	}
	return nil
}

// ActionScopes returns the page's scope, and that of lists to scroll.
func (p *MissionPage) ActionScopes() []action.Scope {
	return []action.Scope{action.Mission, action.List}
}

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (p *MissionPage) DisabledReason(id action.ID) string {
	if id == action.Permit || id == action.OpenPermit {
		switch {
		case p.State.IsUnread():
			return "still loading"
		case p.story.Permission == nil:
			return "no flight permission recorded"
		case p.story.Permission.PermitFileURL == nil:
			return "no permit attached"
		case p.fetched.IsOpen() || p.opened.IsOpen():
			return "already downloading"
		case id == action.OpenPermit && p.Opener == nil:
			return "no app found to open files; press E to save it"
		}
	}
	if id == action.ResendCallback {
		return p.resend.DisabledReason(nil, len(p.failedCallbacks()))
	}
	return ""
}

func (p *MissionPage) HandleAction(id action.ID) tea.Cmd {
	if cmd, done := handleMission(p.Env, p.mission, id); done {
		return cmd
	}
	switch id {
	case action.Refresh:
		p.Cache.RereadNeeds(p.DataNeeds()...)
	case action.ResendCallback:
		p.resend.AskToResend(nil, p.failedCallbacks(), p.mission.MissionCode)
	case action.CopyCode:
		return page.CopyText(&p.FileAccess, layout.Clean(p.mission.MissionCode), p.mission.MissionCode)
	case action.Permit:
		client, permission := p.Client, p.story.Permission
		return page.AskInBackground(p.Base, &p.fetched, func(ctx context.Context) ([]byte, error) {
			return client.Missions.Permit(ctx, permission)
		})
	case action.OpenPermit:
		return p.openPermit()
	}
	page.MoveList(&p.Scroll, id)
	return nil
}

// askPermit opens the dialog that saves a downloaded permit.
func (p *MissionPage) askPermit(document []byte, err error) tea.Cmd {
	if err != nil {
		what, _ := labels.ExplainError(err)
		return page.ShowToast(theme.Bad, what)
	}
	ending := documentExtension(document)
	if ending == "" {
		ending = ".permit"
	}
	p.saver.AskForFile(exportdialog.ExportJob{
		Title: "Save flight permit",
		Help:  "Flight permit, " + format.Bytes(int64(len(document))),
		Says:  "the flight permit",
		Write: func(to io.Writer, _ string) error {
			_, err := to.Write(document)
			return err
		},
	}, exportdialog.SafeName(p.mission.MissionCode)+"-permit"+ending)
	return nil
}

// openPermit downloads the permit and opens it in the system's default app, if it is a
// PDF or an image.
func (p *MissionPage) openPermit() tea.Cmd {
	client, permission, code, folder, open := p.Client, p.story.Permission, p.mission.MissionCode, p.Scratch, p.Opener
	return page.AskInBackground(p.Base, &p.opened, func(ctx context.Context) (string, error) {
		document, err := client.Missions.Permit(ctx, permission)
		if err != nil {
			return "", err
		}
		ending := documentExtension(document)
		if ending == "" {
			return "", errors.New("only PDF and image permits are opened; press E to save it")
		}
		dir, err := folder()
		if err != nil {
			return "", err
		}
		name := exportdialog.SafeName(code) + "-permit" + ending
		if err := os.WriteFile(filepath.Join(dir, name), document, 0o600); err != nil {
			return "", err
		}
		return name, open(filepath.Join(dir, name))
	})
}

// reportPermit reports the result of openPermit in a toast.
func reportPermit(msg openedAnswer) tea.Cmd {
	switch {
	case !msg.TakeAnswer():
		return nil
	case msg.Err != nil:
		what, advice := labels.ExplainError(msg.Err)
		return page.ShowToast(theme.Bad, strings.TrimSpace(what+" "+advice))
	}
	return page.ShowToast(theme.Good, "Opened "+msg.Value)
}

// documentExtension returns the file extension of a PDF or an image, "" for any other
// content.
func documentExtension(document []byte) string {
	switch http.DetectContentType(document) {
	case "application/pdf":
		return ".pdf"
	case "image/png":
		return ".png"
	case "image/jpeg":
		return ".jpg"
	}
	return ""
}

// View renders the mission: in two columns from 120 cells, with a map of the site if
// there is room.
func (p *MissionPage) View(w, h int) string {
	return p.DrawColumns(w/2, w, h, p.renderAbout, p.renderHistory, func(lines []string, w, h int) []string {
		return p.site.renderBelow(p.Theme, lines, w, h)
	})
}

// leastMap is the least number of lines for the map of a site.
const leastMap = 9

// siteMap shows the site of a mission; it cannot be moved.
type siteMap struct {
	smap  *sitemap.SiteMap
	whole bool // the shape is loaded, not only the centre
	shown bool // there is anything to draw
}

func newSiteMap(m *cache.Mission) siteMap {
	s := siteMap{smap: sitemap.New()}
	points := m.LocationMap
	if s.whole = len(points) > 0; !s.whole && m.Placed {
		points = []api.Point{m.Centre}
	}
	s.drawPoints(m, points)
	return s
}

// drawPoints puts the mission's site on the map.
func (s *siteMap) drawPoints(m *cache.Mission, points []api.Point) {
	if s.shown = len(points) > 0; !s.shown {
		return
	}
	st := labels.MissionStatus(m.Status)
	s.smap.SetFeatures([]geomap.Feature{{
		ID: m.UUID, Label: m.MissionName, Geometry: sitemap.MissionGeometry(m.MissionType, points),
		Mark: []rune(st.Glyph)[0], Role: sitemap.FeatureRole(st.Role),
	}})
	s.smap.FitAll()
}

// renderBelow appends the map to lines in a column of w cells and h lines, if there is
// room.
func (s *siteMap) renderBelow(th *theme.Theme, lines []string, w, h int) []string {
	room := h - len(lines) - 1
	if !s.shown || room < leastMap {
		return lines
	}
	return append(append(lines, th.Rule.Render(strings.Repeat("─", w))), layout.SplitLines(s.smap.View(th, w, room))...)
}

// locateMission draws the mission's shape once its order is loaded.
func (p *MissionPage) locateMission() {
	o, state := p.Cache.Details.Get(p.mission.Order.OrderCode)
	if p.site.whole || o == nil || state.ReadAt.IsZero() {
		return
	}
	p.site.whole = true // even if the order has no shape
	for i := range o.Missions {
		if m := &o.Missions[i]; m.UUID == p.mission.UUID && len(m.LocationMap) > 0 {
			p.site.drawPoints(p.mission, m.LocationMap)
		}
	}
}
