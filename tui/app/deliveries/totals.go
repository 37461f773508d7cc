package deliveries

import "flightdesk/api/fetch"

// FileTotals counts files of packages by their state on this machine.
type FileTotals struct {
	Packages int
	Files    int
	Size     int64
	// HasUnknownSize is true if Size does not include a file, because its size is unknown.
	HasUnknownSize bool
	// HasUnseen is true if the app has not looked for some files on disk yet. These files are in Files,
	// but in none of the counts below.
	HasUnseen  bool
	New        int // files that were never downloaded
	Queued     int // unfinished files in the download queue, also paused and failed ones
	Downloaded int // files that are complete on this machine
	Missing    int // files that were downloaded and are no longer on this machine
	Checked    int // files that did not change since the last check of their contents
	Problems   int // problems that the last checks found
}

// OrderTotals has the totals of the packages of one order.
type OrderTotals struct {
	Order string // code of the order; "" for packages that belong to no order
	FileTotals
}

// TotalsByOrder returns the totals of each order in the list. The orders are in the sequence in which
// their packages are listed.
func (s *PackageList) TotalsByOrder() []OrderTotals {
	var totals []OrderTotals
	indexes := map[string]int{} // in totals, by code of the order
	for _, p := range s.Packages {
		i, isKnown := indexes[p.Order]
		if !isKnown {
			i = len(totals)
			indexes[p.Order] = i
			totals = append(totals, OrderTotals{Order: p.Order})
		}
		totals[i].addPackage(p, s.Files)
	}
	for subject, problems := range s.countProblems() {
		totals[indexes[subject.order]].Problems += problems
	}
	return totals
}

// checkedSubject identifies what a check examines: the files of a mission, or of a package without a
// mission.
type checkedSubject struct {
	order   string
	mission string // code of the mission, or "" for a package without a mission
	pkg     string // ID of the package without a mission, or ""
}

// countProblems returns the number of problems that the last checks found, for each mission or package
// without a mission. Several packages of a mission count once.
func (s *PackageList) countProblems() map[checkedSubject]int {
	problems := map[checkedSubject]int{}
	for _, p := range s.Packages {
		subject := checkedSubject{order: p.Order, mission: p.Mission}
		if p.Mission == "" {
			subject.pkg = p.ID
		}
		row := &DeliveryRow{Package: p, File: -1}
		problems[subject] = max(problems[subject], row.countAllChecks(s.Files).problems)
	}
	return problems
}

// SumTotals returns the totals of all orders.
func SumTotals(orders []OrderTotals) FileTotals {
	var sum FileTotals
	for i := range orders {
		order := &orders[i]
		sum.Packages += order.Packages
		sum.Files += order.Files
		sum.Size += order.Size
		sum.HasUnknownSize = sum.HasUnknownSize || order.HasUnknownSize
		sum.HasUnseen = sum.HasUnseen || order.HasUnseen
		sum.New += order.New
		sum.Queued += order.Queued
		sum.Downloaded += order.Downloaded
		sum.Missing += order.Missing
		sum.Checked += order.Checked
		sum.Problems += order.Problems
	}
	return sum
}

// addPackage adds the files of a package to the totals. It does not add the problems that checks found.
func (t *FileTotals) addPackage(p *DeliveredPackage, d *Downloads) {
	t.Packages++
	t.Files += len(p.Files)
	size, isExact := fetch.Package{Files: p.Files}.TotalSize()
	t.Size += size
	t.HasUnknownSize = t.HasUnknownSize || !isExact
	for i := range p.Files {
		switch p.FileState(d, i).Status {
		case New:
			t.New++
		case Unseen:
			t.HasUnseen = true
		case Coming, Waiting, Paused, Failed:
			t.Queued++
		case Here:
			t.Downloaded++
		case Missing:
			t.Missing++
		}
	}
	row := &DeliveryRow{Package: p, File: -1}
	t.Checked += row.countChecks(d).checked
}
