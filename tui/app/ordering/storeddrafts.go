package ordering

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/format"
)

// StoredDraft describes a stored draft for a list of drafts.
type StoredDraft struct {
	Name  string    // name of its file, or "" for the current draft
	Title string    // displayed title
	Sites int       // number of its sites
	Saved time.Time // zero if unknown
	Draft *Draft    // nil if the file is unreadable
	Sent  time.Time // when its unconfirmed order was sent; zero if there is none

	Elsewhere error // which process has it open, or nil

	resumes bool // the new order page resumes it
	placed  bool // all its sites are placed, so the draft is done
}

// StoredDrafts reads the drafts other than the current one, newest first. It does I/O:
// call it in the background.
func (k *Drafts) StoredDrafts(context.Context) ([]StoredDraft, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	all, err := k.listDrafts()
	return slices.DeleteFunc(all, func(s StoredDraft) bool { return s.resumes }), err
}

// ListStored returns a function that lists the stored drafts. The first is the draft that the new order page shows
// when it opens: the current draft or, when the app has just started, the draft to resume. A current draft without
// sites is not listed. The returned function does I/O: call it in the background.
func (k *Drafts) ListStored() func() []StoredDraft {
	var current *StoredDraft
	currentID := ""
	if d := k.Current; d != nil && len(d.Sites) > 0 {
		current = &StoredDraft{Title: titleOf(d), Sites: len(d.Sites)}
		currentID = d.ID
	}
	return func() []StoredDraft {
		k.mu.Lock()
		defer k.mu.Unlock()
		stored, _ := k.listDrafts() // if the folder cannot be read, only the current draft is listed
		var listed []StoredDraft
		if current != nil {
			first := *current
			if open := k.ordersOf(currentID).Open; open != nil {
				first.Sent = open.At
			}
			listed = append(listed, first)
		}
		return append(listed, resumedFirst(stored)...)
	}
}

// resumedFirst moves the draft that the new order page resumes to the front of the list. If that draft has
// no sites, resumedFirst removes it from the list.
func resumedFirst(stored []StoredDraft) []StoredDraft {
	index := slices.IndexFunc(stored, func(s StoredDraft) bool { return s.resumes })
	if index < 0 {
		return stored
	}
	resumed := stored[index]
	others := slices.Delete(stored, index, index+1)
	if resumed.Sites == 0 {
		return others
	}
	resumed.Name = "" // the page opens it like the current draft, not by its name
	return slices.Insert(others, 0, resumed)
}

// listDrafts reads the drafts that are not open in this window, newest first. The caller
// holds mu.
func (k *Drafts) listDrafts() ([]StoredDraft, error) {
	saved, err := k.savedTimes()
	if err != nil {
		return nil, fmt.Errorf("list drafts: %w", err)
	}
	_ = k.refreshChanges() // drafts are listed even if this fails; placing and deleting report the error
	var list []StoredDraft
	for name, savedAt := range saved {
		_, isOpenHere := k.locks[name]
		if isOpenHere || draftNumber(name) < 0 {
			continue
		}
		if d := k.loadStored(name, savedAt); !d.placed {
			list = append(list, d)
		}
	}
	sortDrafts(list)
	if !k.searched.Load() {
		markResumed(list)
	}
	return list, nil
}

// savedTimes returns when each file of the drafts' folder was saved, by its name. The time of a
// file in memory is zero. The caller holds mu.
func (k *Drafts) savedTimes() (map[string]time.Time, error) {
	saved := map[string]time.Time{}
	for name := range k.memory {
		saved[name] = time.Time{}
	}
	entries, err := os.ReadDir(k.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() {
			saved[e.Name()] = info.ModTime()
		}
	}
	return saved, nil
}

// sortDrafts sorts drafts by the time at which they were saved, newest first.
func sortDrafts(list []StoredDraft) {
	sort.Slice(list, func(i, j int) bool {
		a := &list[i]
		b := &list[j]
		if !a.Saved.Equal(b.Saved) {
			return a.Saved.After(b.Saved)
		}
		return draftNumber(a.Name) > draftNumber(b.Name)
	})
}

// markResumed marks the draft that the new order page resumes: the newest draft that was not set aside and
// is not open in another window. list is sorted, newest first.
func markResumed(list []StoredDraft) {
	for i := range list {
		d := list[i].Draft
		if d != nil && !d.Aside && list[i].Elsewhere == nil {
			list[i].resumes = true
			return
		}
	}
}

// loadStored reads a draft that is not open in this window. If all sites of the draft are placed, it also
// deletes the file, unless another window has the draft open. The caller holds mu.
func (k *Drafts) loadStored(name string, saved time.Time) StoredDraft {
	if err := k.claim(name); err != nil {
		stored := k.readStored(name, saved)
		stored.Elsewhere = err
		return stored
	}
	defer func() { _ = k.release(name) }()
	stored := k.readStored(name, saved)
	if stored.placed {
		_ = k.removeFile(name) // if this fails, the next list tries again
	}
	return stored
}

// readStored reads and describes a stored draft.
func (k *Drafts) readStored(name string, saved time.Time) StoredDraft {
	stored := StoredDraft{
		Name:  name,
		Title: name + ", which could not be read",
		Saved: saved,
	}
	data, err := k.readFile(name)
	if err != nil {
		return stored
	}
	d, err := decodeDraft(data)
	if err != nil {
		return stored
	}
	orders := k.ordersOf(d.ID)
	d.UpdateOrders(orders)
	stored.Draft = d
	stored.Title = titleOf(d)
	stored.Sites = len(d.Sites)
	if d.Sent != nil {
		stored.Sent = d.Sent.At
	}
	stored.placed = len(orders.Placed) > 0 && d.IsPlaced()
	return stored
}

// titleOf returns the displayed title of a draft.
func titleOf(d *Draft) string {
	file := ""
	if len(d.Files) > 0 {
		file = d.Files[0].Name()
	}
	return cmp.Or(d.FieldValue("orderName"), file, d.SiteOrigins(""), "Untitled draft")
}

// Describe returns how many sites a draft has, how old it is, and whether it is open
// elsewhere.
func (s *StoredDraft) Describe(now time.Time) string {
	var parts []string
	if s.Sites > 0 || s.Draft != nil { // otherwise the file is unreadable
		parts = append(parts, format.Count(s.Sites, "site"))
	}
	if !s.Saved.IsZero() {
		parts = append(parts, "saved "+format.Ago(s.Saved, now))
	}
	if !s.Sent.IsZero() {
		parts = append(parts, "sent "+SentTime(s.Sent, now)+", not confirmed")
	}
	if s.Elsewhere != nil {
		parts = append(parts, "open in another window")
	}
	return strings.Join(parts, ", ")
}

// savedDraft is the JSON format of a draft. Geometries are stored as a kind and rings of
// positions.
type savedDraft struct {
	Draft
	Places map[int]savedPlace // by site ID
	Fixes  map[int]savedFix
}

type savedPlace struct {
	Kind  kmlcsv.Kind
	Rings orb.Polygon // a single ring with all points unless Kind is Area
}

// savedFix is the suggested correction of a site's placemark.
type savedFix struct {
	savedPlace
	Name, Country, City string
	Line                int
}

func encodeDraft(d *Draft) ([]byte, error) {
	s := savedDraft{
		Draft:  *d,
		Places: map[int]savedPlace{},
		Fixes:  map[int]savedFix{},
	}
	for _, site := range d.Sites {
		if site.Geometry != nil {
			s.Places[site.ID] = toPlace(site.Geometry)
		}
		if f := site.Fixed; f != nil {
			s.Fixes[site.ID] = savedFix{
				savedPlace: toPlace(f.Geometry),
				Name:       f.Name,
				Country:    f.Country,
				City:       f.City,
				Line:       f.Line,
			}
		}
	}
	// Paths can contain any bytes. An unchanged draft is always saved as the same text.
	return json.Marshal(s, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
}

func toPlace(g orb.Geometry) savedPlace {
	if area, ok := g.(orb.Polygon); ok {
		return savedPlace{kmlcsv.Area, area}
	}
	s := Site{Geometry: g}
	return savedPlace{s.toPlacemark().Kind(), orb.Polygon{s.Points()}}
}

// toGeometry returns the geometry, or nil if there are no points.
func (p savedPlace) toGeometry() orb.Geometry {
	if len(p.Rings) == 0 || len(p.Rings[0]) == 0 {
		return nil
	}
	if p.Kind == kmlcsv.Area {
		return p.Rings
	}
	return shapeAs(api.MissionType(p.Kind), p.Rings[0])
}

func decodeDraft(data []byte) (*Draft, error) {
	var s savedDraft
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	for _, site := range s.Sites {
		site.Geometry = s.Places[site.ID].toGeometry()
		site.MeasureSize()
		site.Fixed = s.Fixes[site.ID].toPlacemark()
	}
	s.Step = max(0, min(s.Step, StepReview))
	s.file = &draftFile{}
	if s.Fields == nil {
		s.Fields = map[string][]string{}
	}
	if s.ID == "" { // saved by an earlier version
		s.ID = rand.Text()
	}
	return &s.Draft, nil
}

// toPlacemark returns the corrected placemark, or nil if no correction was saved.
func (f savedFix) toPlacemark() *kmlcsv.Placemark {
	g := f.toGeometry()
	if g == nil {
		return nil
	}
	fixed := kmlcsv.NewPlacemark(f.Name, g)
	fixed.Country = f.Country
	fixed.City = f.City
	fixed.Line = f.Line
	return &fixed
}

// OrderTemplate is a named set of form values, for orders that are placed again and again.
type OrderTemplate struct {
	Name   string
	Fields map[string][]string
}

// templateFile has the templates of a profile.
const templateFile = "templates.json"

// LoadTemplates returns the templates, sorted by name. Like SaveTemplate and RemoveTemplate it does I/O:
// call it in the background.
func (k *Drafts) LoadTemplates(context.Context) ([]OrderTemplate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	data, err := k.readIfExists(templateFile)
	if err != nil {
		return nil, fmt.Errorf("read templates: %w", err)
	}
	var list []OrderTemplate
	if err := decodeIfExists(data, &list); err != nil {
		return nil, fmt.Errorf("read templates: %w", err)
	}
	return list, nil
}

// SaveTemplate saves a template. It replaces a template with the same name.
func (k *Drafts) SaveTemplate(t OrderTemplate) error {
	return k.changeTemplates(t.Name, t)
}

// RemoveTemplate deletes the template with the given name.
func (k *Drafts) RemoveTemplate(name string) error {
	return k.changeTemplates(name)
}

// changeTemplates removes the template with the given name, if there is one, and then adds the templates
// in added. If the file is unreadable, it returns an error instead of overwriting the file.
func (k *Drafts) changeTemplates(name string, added ...OrderTemplate) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.updateFile(templateFile, func(data []byte) ([]byte, error) {
		var list []OrderTemplate
		if err := decodeIfExists(data, &list); err != nil {
			return nil, fmt.Errorf("read templates: %w", err)
		}
		list = slices.DeleteFunc(list, func(t OrderTemplate) bool { return t.Name == name })
		list = append(list, added...)
		sortTemplates(list)
		return json.Marshal(list, json.Deterministic(true))
	})
	if err != nil {
		return fmt.Errorf("save templates: %w", err)
	}
	return nil
}

// sortTemplates sorts templates by name, without regard to case.
func sortTemplates(list []OrderTemplate) {
	sort.Slice(list, func(i, j int) bool {
		a := list[i].Name
		b := list[j].Name
		if !strings.EqualFold(a, b) {
			return strings.ToLower(a) < strings.ToLower(b)
		}
		return a < b
	})
}

// readIfExists returns the content of a file, or nil if the file does not exist.
func (k *Drafts) readIfExists(name string) ([]byte, error) {
	data, err := k.readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// decodeIfExists decodes the content of a file into a value. If data is nil, the file does not exist and
// the value stays unchanged.
func decodeIfExists(data []byte, value any) error {
	if data == nil {
		return nil
	}
	return json.Unmarshal(data, value)
}

// MakeTemplate returns a template with the form of the draft, without the order name and
// without absolute dates.
func (d *Draft) MakeTemplate(name string, now time.Time) OrderTemplate {
	t := OrderTemplate{Name: name, Fields: map[string][]string{}}
	for _, f := range fields {
		value := d.FieldValue(f.ID)
		if value == "" || f.ID == "orderName" || f.Kind == DerivedField {
			continue
		}
		if f.Kind == DateField && !isRelativeDay(value, now) {
			continue
		}
		t.Fields[f.ID] = slices.Clone(d.Fields[f.ID])
	}
	return t
}

// isRelativeDay reports whether a date is relative to today, such as "in 2 weeks". It parses the text as of
// today and as of next week: a relative date is then a week later.
func isRelativeDay(text string, now time.Time) bool {
	date, err := format.ParseDate(text, now)
	if err != nil || !date.IsDay() {
		return false
	}
	later, err := format.ParseDate(text, now.AddDate(0, 0, 7))
	if err != nil {
		return false
	}
	return date.NoonIn(time.UTC).AddDate(0, 0, 7).Equal(later.NoonIn(time.UTC))
}
