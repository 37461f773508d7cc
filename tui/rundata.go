package tui

import (
	"errors"
	"sync"

	"flightdesk/config/atomicfile"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/webhooks"
)

// runData has the files and connections that the profiles of a run have opened. They stay open when
// the profile is switched, because background work of the previous profile can still use them.
type runData struct {
	feeds   []*webhooks.EventFeed
	drafts  map[string]*ordering.Drafts // by folder, or by profile if they are only in memory
	scratch scratch
}

// addFeed adds the feed of a profile. It does nothing if feed is nil.
func (d *runData) addFeed(feed *webhooks.EventFeed) {
	if feed != nil {
		d.feeds = append(d.feeds, feed)
	}
}

// draftsOf returns the drafts in a folder. All profiles with the same folder use one Drafts value: two values would
// overwrite each other's files. If folder is "", the drafts are in memory and belong to the profile.
func (d *runData) draftsOf(profile, folder string, reader ordering.FileReader) *ordering.Drafts {
	key := folder
	if folder == "" {
		key = "of " + profile
	}
	if d.drafts[key] == nil {
		drafts := ordering.NewDrafts(folder)
		drafts.Reader = reader
		if d.drafts == nil {
			d.drafts = map[string]*ordering.Drafts{}
		}
		d.drafts[key] = drafts
	}
	return d.drafts[key]
}

// close closes the feeds and the drafts, and deletes the scratch folder.
func (d *runData) close() error {
	var errs []error
	for _, feed := range d.feeds {
		errs = append(errs, feed.Close())
	}
	for _, drafts := range d.drafts {
		errs = append(errs, drafts.Close())
	}
	errs = append(errs, d.scratch.remove())
	return errors.Join(errs...)
}

// scratch is a temporary folder for files that other programs open. It is safe for concurrent
// use.
type scratch struct {
	mu      sync.Mutex
	created *atomicfile.TempFolder // nil before the first use
}

// folder returns the path of the folder, which only its owner can read. The first call creates
// the folder and deletes the folders that crashed runs have left behind.
func (s *scratch) folder() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.created == nil {
		atomicfile.RemoveAbandoned()
		created, err := atomicfile.NewTempFolder("")
		if err != nil {
			return "", err
		}
		s.created = created
	}
	return s.created.Path, nil
}

// remove deletes the folder with its files.
func (s *scratch) remove() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.created == nil {
		return nil
	}
	return s.created.Remove()
}
