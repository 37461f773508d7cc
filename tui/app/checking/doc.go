// Package checking finds out whether a delivery covers its order: whether every ordered product was
// delivered for every mission, whether the files open and are complete, and which part of each
// mission's area they cover. It reads the files on disk without loading them.
//
//	checker := checking.Checker{Dir: dir, Now: time.Now}
//	delivery := checking.Delivery{Order: order, Missions: missions, Packages: packages}
//	report, err := checker.Check(ctx, delivery, nil)
//
// A [Report] has findings in words, worst first. A check changes nothing and blocks nothing.
// [Results] stores the results for each file. A result is no longer used when its file has changed.
package checking
