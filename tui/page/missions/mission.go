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

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/exportdialog"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// mostFiles is how many packages have their files read.
const mostFiles = 5

// Mission is the page of one mission.
type Mission struct {
	page.Base
	mission *cache.Mission
	story   timeline.Parts
	state   cache.State // of the story
	fetched page.Question
	opened  page.Question
	told    told
	saver   *exportdialog.Saver
	resend  *page.Resender
	site    site
	scroll  widget.Scroll
}

// NewMission returns the page of a mission.
func NewMission(env *page.Env, m *cache.Mission) *Mission {
	p := &Mission{Base: page.NewBase(env), mission: m}
	p.saver, p.resend = exportdialog.New(p.Base), page.NewResender(p.Base)
	p.site = newSite(m)
	return p
}

// Title is the mission's code.
func (p *Mission) Title() string { return p.mission.MissionCode }

// Corner tells the data's age.
func (p *Mission) Corner() string {
	switch {
	case p.state.Loading || p.state.ReadAt.IsZero():
		return "reading…"
	default:
		return "refreshed " + format.Ago(p.state.ReadAt, p.Now())
	}
}

type (
	permitAnswer = page.Answer[[]byte]
	openedAnswer = page.Answer[string]
)

// Needs are the mission's parts, its order for its shape, the orders, and the
// logs for what was told of it.
func (p *Mission) Needs() []cache.Need {
	needs := append(timeline.PartNeeds(p.Cache, p.mission.UUID, mostFiles), p.Cache.Orders.Of(cache.Account))
	if _, state := p.Cache.MissionsOf(p.mission.Order); state.Unread() { // which says what becomes of this one
		needs = append(needs, p.Cache.NeedMissions(p.mission.Order))
	}
	if !p.site.whole {
		needs = append(needs, p.Cache.Details.Of(p.mission.Order.OrderCode))
	}
	return append(needs, timeline.EndpointNeeds(p.Cache, p.since())...)
}

// Start shows what is known, which the cache keeps up to date.
func (p *Mission) Start() tea.Cmd {
	p.read()
	return nil
}

// read takes what was read by now.
func (p *Mission) read() {
	for _, m := range p.Cache.Now().Missions {
		if m.UUID == p.mission.UUID {
			p.mission = m
			break
		}
	}
	p.story, p.state = timeline.PartsOf(p.Cache, p.mission.UUID, mostFiles)
	since := p.since()
	if endpoints, state := timeline.EndpointsOf(p.Cache, since); !state.ReadAt.IsZero() && state.Err == nil {
		p.told = told{endpoints, true, since}
	}
	p.locate()
}

// Update takes answers.
func (p *Mission) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.ReadMsg, page.KeptMsg:
		p.read()
	case permitAnswer:
		if msg.Take() {
			return p.askPermit(msg.Value, msg.Err)
		}
	case openedAnswer:
		return permitOpened(msg)
	default:
		cmd, taken := p.resend.Update(msg)
		if !taken {
			cmd, _ = p.saver.Update(msg)
		}
		return cmd
	}
	return nil
}

// Scopes are the page's; the list's move the text.
func (p *Mission) Scopes() []action.Scope { return []action.Scope{action.Mission, action.List} }

// Disabled says what cannot be done.
func (p *Mission) Disabled(id action.ID) string {
	if id == action.Permit || id == action.OpenPermit {
		switch {
		case p.state.Unread():
			return "still loading"
		case p.story.Permission == nil:
			return "no flight permission recorded"
		case p.story.Permission.PermitFileURL == nil:
			return "no permit attached"
		case p.fetched.Open() || p.opened.Open():
			return "already downloading"
		case id == action.OpenPermit && p.Opener == nil:
			return "no app found to open files; press E to save it"
		}
	}
	if id == action.ResendCallback {
		return p.resend.Disabled(nil, len(p.failures()))
	}
	return ""
}

// Do performs an action.
func (p *Mission) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Refresh:
		p.Cache.Reread(p.Needs()...)
	case action.ResendCallback:
		p.resend.Ask(nil, p.failures(), p.mission.MissionCode)
	case action.ShowOrder:
		return p.OpenOrder(p.mission.Order)
	case action.CopyCode:
		return page.Copy(&p.Files, layout.Clean(p.mission.MissionCode), p.mission.MissionCode)
	case action.Permit:
		client, permission := p.Client, p.story.Permission
		return page.Ask(p.Base, &p.fetched, func(ctx context.Context) ([]byte, error) {
			return client.Missions.Permit(ctx, permission)
		})
	case action.OpenPermit:
		return p.openPermit()
	case action.ShowStory:
		return p.OpenStory(timeline.Subject{Order: p.mission.Order.OrderCode, Mission: p.mission.UUID}, "")
	case action.ShowData:
		return p.Open(deliveries.NewOf(p.Env, p.mission.Order.OrderCode, p.mission.UUID))
	}
	page.Move(&p.scroll, id)
	return nil
}

// Mouse scrolls with the wheel.
func (p *Mission) Mouse(m page.Mouse) tea.Cmd {
	p.scroll.Move(m.Wheel)
	return nil
}

// askPermit asks for a file for the document that was downloaded.
func (p *Mission) askPermit(document []byte, err error) tea.Cmd {
	if err != nil {
		what, _ := labels.Explain(err)
		return page.Toast(theme.Bad, what)
	}
	ending := endingOf(document)
	if ending == "" {
		ending = ".permit"
	}
	p.saver.Ask(exportdialog.Job{
		Title: "Save flight permit", Help: "Flight permit, " + format.Bytes(int64(len(document))), Says: "the flight permit",
		Write: func(to io.Writer, _ string) error {
			_, err := to.Write(document)
			return err
		},
	}, fileName(p.mission.MissionCode)+"-permit"+ending)
	return nil
}

// openPermit downloads the document and has the system's program open it. It
// is handed to none unless it is what programs only show.
func (p *Mission) openPermit() tea.Cmd {
	client, permission, code, folder, open := p.Client, p.story.Permission, p.mission.MissionCode, p.Scratch, p.Opener
	return page.Ask(p.Base, &p.opened, func(ctx context.Context) (string, error) {
		document, err := client.Missions.Permit(ctx, permission)
		if err != nil {
			return "", err
		}
		ending := endingOf(document)
		if ending == "" {
			return "", errors.New("only PDF and image permits are opened; press E to save it")
		}
		dir, err := folder()
		if err != nil {
			return "", err
		}
		name := fileName(code) + "-permit" + ending
		if err := os.WriteFile(filepath.Join(dir, name), document, 0o600); err != nil {
			return "", err
		}
		return name, open(filepath.Join(dir, name))
	})
}

// permitOpened says what came of opening the document.
func permitOpened(msg openedAnswer) tea.Cmd {
	switch {
	case !msg.Take():
		return nil
	case msg.Err != nil:
		what, advice := labels.Explain(msg.Err)
		return page.Toast(theme.Bad, strings.TrimSpace(what+" "+advice))
	}
	return page.Toast(theme.Good, "Opened "+msg.Value)
}

// endingOf is how the name of a document ends that programs only show, "" for
// any other.
func endingOf(document []byte) string {
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

// fileName is a code as the beginning of a file's name.
func fileName(code string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, code)
}

// View draws the mission, from 120 columns on in two.
func (p *Mission) View(w, h int) string {
	left, right := p.parts(w)
	lines := append(append(left, ""), right...)
	if p.Theme.IsWide(w, 120) {
		col := w / 2
		l, _ := p.parts(col - 1)
		_, r := p.parts(w - col - 1)
		rows := max(len(l), len(r), h)
		if len(l) <= len(r) {
			l = p.site.below(p.Theme, l, col-1, rows)
		} else {
			r = p.site.below(p.Theme, r, w-col-1, rows)
		}
		box := layout.Beside(p.Theme.Rule.Render("│"), layout.Box(l, col, rows), layout.Box(r, w-col-1, rows))
		lines = layout.Lines(box)
	}
	return layout.Box(p.scroll.View(lines, h, p.Theme.Style(theme.Muted)), w, h)
}
