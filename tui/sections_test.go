package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// leaf is a page of the test's section.
type leaf struct {
	page.Base
	title  string
	starts int
}

func (l *leaf) Title() string          { return l.title }
func (l *leaf) Update(tea.Msg) tea.Cmd { return nil }
func (l *leaf) View(w, h int) string {
	return strings.TrimSuffix(strings.Repeat(strings.Repeat("·", w)+"\n", h), "\n")
}
func (l *leaf) ActionScopes() []action.Scope   { return nil }
func (l *leaf) HandleAction(action.ID) tea.Cmd { return nil }
func (l *leaf) OnShow() tea.Cmd                { l.starts++; return nil }

// withSection returns an app with Orders and one more section, which key M shows. It also returns
// the pages of that section.
func withSection(t *testing.T, offered bool) (*App, *[]*leaf) {
	t.Helper()
	made := &[]*leaf{}
	before := sections
	t.Cleanup(func() { sections = before })
	sections = append(slices.Clone(sections[1:2]), page.Section{
		Go: action.Mouse, Name: "Harbour", Short: "Harb",
		First: func(env *page.Env) page.Page {
			l := &leaf{Base: page.NewBase(env), title: "Quay"}
			*made = append(*made, l)
			return l
		},
		Missing: func(*page.Env) string { return page.TextIf(!offered, "the harbour is closed") },
	})
	client, err := api.NewClient("http://127.0.0.1:1", api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	a := New(Options{
		ProfileOptions: ProfileOptions{Client: client},
		Theme:          "dark",
		Now:            func() time.Time { return time.Unix(1e9, 0).UTC() },
	})
	a.ws.env.Look.Width, a.ws.env.Look.Height = 100, 30
	return a, made
}

func rows(a *App) []string { return strings.Split(ansi.Strip(a.render().Content), "\n") }

func TestEverySectionIsComplete(t *testing.T) {
	for i, s := range sections {
		if want := strconv.Itoa((i + 1) % 10); keyOf(s.Go) != want {
			t.Errorf("%s has the key %q, want its number %s; the tenth has 0", s.Name, keyOf(s.Go), want)
		}
		if s.Name == "" || s.Short == "" || len(s.Short) > 5 || s.First == nil {
			t.Errorf("section %q is not whole: short %q", s.Name, s.Short)
		}
	}
}

func TestSectionKeepsItsPages(t *testing.T) {
	a, made := withSection(t, true)
	a.performGlobal(action.Mouse)
	a.ws.pages.open(&leaf{Base: page.NewBase(a.ws.env), title: "Crane"})
	a.ws.env.SetBadge(action.GoOrders, page.SectionBadge{Text: "3", Role: theme.Attention})
	if got := rows(a); !strings.Contains(got[1], "2 Orders (3) [M Harbour]") || !strings.Contains(got[2], "Quay › Crane") {
		t.Errorf("on the harbour:\n%s\n%s", got[1], got[2])
	}
	a.performGlobal(action.GoOrders)
	if got := rows(a); !strings.Contains(got[1], "[2 Orders (3)] M Harbour") || !strings.Contains(got[2], "Orders") {
		t.Errorf("on the orders:\n%s\n%s", got[1], got[2])
	}
	if (*made)[0].IsShown() {
		t.Error("a page of another section is said to be shown")
	}
	a.performGlobal(action.Mouse)
	if got := rows(a)[2]; !strings.Contains(got, "Quay › Crane") || len(*made) != 1 {
		t.Errorf("the harbour is %q, made %d times", got, len(*made))
	}
	life := a.ws.pages.top().PageLifetime()
	a.performGlobal(action.Mouse)
	if got := rows(a)[2]; strings.Contains(got, "Crane") || life.Context().Err() == nil || (*made)[0].starts != 2 {
		t.Errorf("once more goes to %q, started %d times", got, (*made)[0].starts)
	}
}

func TestMissingSectionIsNotShown(t *testing.T) {
	a, made := withSection(t, false)
	if strings.Contains(rows(a)[1], "Harbour") {
		t.Error("it is in the navigation")
	}
	act := action.Action{ID: action.Mouse, Scope: action.Everywhere}
	a.performAction(act)
	a.ws.goTo(action.Mouse, "")
	if len(*made) > 0 {
		t.Error("its key goes there")
	}
	if a.disabledReason(act) != "the harbour is closed" {
		t.Errorf("its key says %q", a.disabledReason(act))
	}
}

func TestClicksOnTheFrame(t *testing.T) {
	a, _ := withSection(t, true)
	click := func(text string, row int) {
		t.Helper()
		line := rows(a)[row]
		before, _, found := strings.Cut(line, text)
		if !found {
			t.Fatalf("no %q in %q", text, line)
		}
		a.Update(tea.MouseClickMsg{X: ansi.StringWidth(before), Y: row, Button: tea.MouseLeft})
	}
	click("Harbour", 1)
	if a.ws.pages.top().Title() != "Quay" {
		t.Errorf("a click on a section goes to %s", a.ws.pages.top().Title())
	}
	a.ws.pages.open(&leaf{Base: page.NewBase(a.ws.env), title: "Crane"})
	click("Quay", 2)
	if a.ws.pages.top().Title() != "Quay" {
		t.Errorf("a click on the page below goes to %s", a.ws.pages.top().Title())
	}
	click("help", 29)
	if len(a.ws.dialogs.dialogs) != 1 {
		t.Error("a click on help does not open it")
	}
}

func TestNavigationFitsEveryWidth(t *testing.T) {
	a, _ := withSection(t, true)
	before := sections
	for i := range 7 {
		s := before[1]
		s.Name, s.Short = fmt.Sprintf("Section%d", i), fmt.Sprintf("Sec%d", i)
		sections = append(sections, s)
	}
	for _, w := range []int{60, 80, 100, 120, 200} {
		a.ws.env.Look.Width = w
		nav := rows(a)[1]
		if ansi.StringWidth(nav) != w || !strings.Contains(nav, "[2 Ord") {
			t.Errorf("%d wide: %q", w, nav)
		}
		if full := strings.Contains(nav, "Section6"); full != (w >= 120) {
			t.Errorf("%d wide, whole names %v: %q", w, full, nav)
		}
	}
}

func TestWorkIsShownInStatusRowAndTab(t *testing.T) {
	a, _ := withSection(t, true)
	bar := func() *tea.ProgressBar { return a.render().ProgressBar }
	if bar() != nil {
		t.Error("there is progress without work")
	}
	a.Update(page.WorkMsg{ID: "a", Text: "2 downloads  38%", Done: 0.25})
	a.Update(page.WorkMsg{ID: "b", Text: "1 upload", Done: 0.75})
	a.Update(page.ToastMsg{Text: "copied"})
	if got := rows(a)[28]; !strings.HasPrefix(got, " 2 downloads  38%   1 upload ") || !strings.HasSuffix(got, " copied ") {
		t.Errorf("the status row is %q", got)
	}
	if b := bar(); b.State != tea.ProgressBarDefault || b.Value != 50 {
		t.Errorf("progress is %+v", b)
	}
	a.Update(page.WorkMsg{ID: "b", Text: "1 upload", Done: -1})
	if b := bar(); b.State != tea.ProgressBarIndeterminate {
		t.Errorf("progress is %+v", b)
	}
	a.Update(page.WorkMsg{ID: "a", Text: "1 download stands", Failed: true})
	if b := bar(); b.State != tea.ProgressBarError {
		t.Errorf("progress is %+v", b)
	}
	a.Update(page.WorkMsg{ID: "a", Over: true})
	a.Update(page.WorkMsg{ID: "b", Over: true})
	if bar() != nil || strings.Contains(rows(a)[28], "upload") {
		t.Error("work that is over is still shown")
	}
}

// There is room for a tenth section in every width, and its key has no other action.
func TestTenSectionsFit(t *testing.T) {
	all := sections
	a, made := withSection(t, true)
	sections = append(slices.Clone(all[:9]), sections[1])
	for i := range sections {
		sections[i].Missing = nil
	}
	for _, w := range []int{60, 80, 100, 140, 200} {
		a.ws.env.Look.Width = w
		row := rows(a)[1]
		for _, s := range sections {
			if !strings.Contains(row, " "+keyOf(s.Go)) && !strings.Contains(row, "["+keyOf(s.Go)) || ansi.StringWidth(row) != w {
				t.Errorf("%d cells: %s is not in %q", w, s.Name, row)
			}
		}
	}
	before, _, _ := strings.Cut(rows(a)[1], "Harbour")
	a.Update(tea.MouseClickMsg{X: ansi.StringWidth(before), Y: 1, Button: tea.MouseLeft})
	if len(*made) != 1 {
		t.Error("a click on the tenth does not go there")
	}
	for _, scope := range action.AllScopes() {
		act, taken := action.FindAction("0", scope)
		goes := slices.ContainsFunc(all, func(s page.Section) bool { return s.Go == act.ID })
		if taken && !goes {
			t.Errorf("its key is %s.%s", scope, act.ID)
		}
	}
}
