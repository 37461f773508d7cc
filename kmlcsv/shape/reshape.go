package shape

import (
	"fmt"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv"
)

// Reshape applies the operation to the placemarks of a file. Placemarks with an unsuitable geometry stay as they are.
// unchanged is their number, and reason says why the first of them is unsuitable. If the operation fails, or if no
// placemark is suitable, Reshape returns an error and changes nothing.
func (op Operation) Reshape(res *kmlcsv.Result) (unchanged int, reason string, err error) {
	if op.JoinsAll() {
		return 0, "", op.joinPlacemarks(res)
	}
	unchanged, reason = op.countRefused(res.Placemarks)
	if unchanged == len(res.Placemarks) {
		return 0, "", fmt.Errorf("no placemark fits: %s", reason)
	}
	var made []kmlcsv.Placemark
	outcomes := make([]outcome, len(res.Placemarks))
	for i, p := range res.Placemarks {
		isReshaped := op.AppliesTo(p.Geometry)
		outcomes[i] = outcome{newIndex: len(made), isReshaped: isReshaped}
		if !isReshaped {
			made = append(made, p)
			continue
		}
		shapes, err := op.Apply(p.Geometry)
		if err != nil {
			return 0, "", fmt.Errorf("%s: %w", p.Name, err)
		}
		made = append(made, placemarksOf(p, shapes)...)
	}
	moveWarnings(res.Warnings, outcomes)
	res.Placemarks = made
	return unchanged, reason, nil
}

// outcome describes what an operation did with a placemark.
type outcome struct {
	newIndex   int  // index of the first placemark that replaces the old placemark
	isReshaped bool // the geometry was changed
}

// countRefused returns the number of placemarks that the operation cannot change, and why it cannot change the first
// of them.
func (op Operation) countRefused(placemarks []kmlcsv.Placemark) (refused int, reason string) {
	for _, p := range placemarks {
		refusal := op.Refusal(p.Geometry)
		if refusal == "" {
			continue
		}
		if refused == 0 {
			reason = p.Name + ": " + refusal
		}
		refused++
	}
	return refused, reason
}

// placemarksOf returns the placemarks that replace p, one for each shape. If there are several, their names get
// numbers.
func placemarksOf(p kmlcsv.Placemark, shapes []orb.Geometry) []kmlcsv.Placemark {
	made := make([]kmlcsv.Placemark, len(shapes))
	for i, g := range shapes {
		name := p.Name
		if len(shapes) > 1 {
			name = fmt.Sprintf("%s (%d)", p.Name, i+1)
		}
		made[i] = reshaped(p, name, g)
	}
	return made
}

// moveWarnings updates the indexes of placemarks in warnings after placemarks were replaced. outcomes[i] is the outcome
// of the placemark that had the index i before.
func moveWarnings(warnings []kmlcsv.Warning, outcomes []outcome) {
	for i := range warnings {
		w := &warnings[i]
		isOfPlacemark := w.Index >= 0 && w.Index < len(outcomes) // other warnings are about the whole file
		if isOfPlacemark {
			moveWarning(w, outcomes[w.Index])
		}
	}
}

// moveWarning replaces the index in a warning by the new index of its placemark. If the placemark was reshaped, it
// also removes the suggested fix, which is for the old geometry.
func moveWarning(w *kmlcsv.Warning, o outcome) {
	w.Index = o.newIndex
	if o.isReshaped {
		w.Fixed = nil
		w.Fix = ""
	}
}

// joinPlacemarks replaces all placemarks of a file by a single placemark, which the operation makes from their
// geometries.
func (op Operation) joinPlacemarks(res *kmlcsv.Result) error {
	geometries := make([]orb.Geometry, len(res.Placemarks))
	for i, p := range res.Placemarks {
		geometries[i] = p.Geometry
	}
	joined, err := op.ApplyToAll(geometries)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("Hull of %d sites", len(res.Placemarks))
	for i := range res.Warnings {
		if res.Warnings[i].Index >= 0 {
			moveWarning(&res.Warnings[i], outcome{newIndex: 0, isReshaped: true})
		}
	}
	res.Placemarks = []kmlcsv.Placemark{reshaped(res.Placemarks[0], name, joined)}
	return nil
}

// reshaped returns a copy of a placemark that has another name and another geometry.
func reshaped(p kmlcsv.Placemark, name string, g orb.Geometry) kmlcsv.Placemark {
	made := kmlcsv.NewPlacemark(name, g)
	made.Country = p.Country
	made.City = p.City
	made.Line = p.Line
	return made
}
