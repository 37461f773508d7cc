package shape

import (
	"fmt"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv"
)

// Reshape applies an operation to the placemarks of a file whose geometry it can change. It returns the number of
// placemarks that it leaves unchanged, and why it leaves the first of them unchanged. It returns an error, and changes
// nothing, if the operation fails or cannot change any placemark.
func (op Operation) Reshape(res *kmlcsv.Result) (unchanged int, reason string, err error) {
	if op.JoinsAll() {
		return 0, "", op.joinPlacemarks(res)
	}
	unchanged, reason = op.countRefused(res.Placemarks)
	if unchanged == len(res.Placemarks) {
		return 0, "", fmt.Errorf("no placemark fits: %s", reason)
	}
	var all []kmlcsv.Placemark
	newIndexes := make([]int, len(res.Placemarks)) // of the first placemark made from each placemark
	isChanged := make([]bool, len(res.Placemarks))
	for i, p := range res.Placemarks {
		newIndexes[i] = len(all)
		if !op.AppliesTo(p.Geometry) {
			all = append(all, p)
			continue
		}
		shapes, err := op.Apply(p.Geometry)
		if err != nil {
			return 0, "", fmt.Errorf("%s: %w", p.Name, err)
		}
		isChanged[i] = true
		all = append(all, placemarksOf(p, shapes)...)
	}
	moveWarnings(res.Warnings, newIndexes, isChanged)
	res.Placemarks = all
	return unchanged, reason, nil
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

// placemarksOf returns the placemarks that replace p. Their names are numbered if there are several shapes.
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

// moveWarnings gives the warnings about placemarks the new indexes of their placemarks. newIndexes and isChanged are
// indexed by the old indexes.
func moveWarnings(warnings []kmlcsv.Warning, newIndexes []int, isChanged []bool) {
	for i := range warnings {
		w := &warnings[i]
		isOfPlacemark := w.Index >= 0 && w.Index < len(newIndexes) // other warnings are about the whole file
		if isOfPlacemark {
			moveWarning(w, newIndexes[w.Index], isChanged[w.Index])
		}
	}
}

// moveWarning gives a warning the new index of its placemark. If the placemark was changed, moveWarning also removes
// the suggested fix, because it fixes the old geometry.
func moveWarning(w *kmlcsv.Warning, newIndex int, isChanged bool) {
	w.Index = newIndex
	if isChanged {
		w.Fixed = nil
		w.Fix = ""
	}
}

// joinPlacemarks replaces all placemarks by one placemark.
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
			moveWarning(&res.Warnings[i], 0, true)
		}
	}
	res.Placemarks = []kmlcsv.Placemark{reshaped(res.Placemarks[0], name, joined)}
	return nil
}

// reshaped returns a placemark with another name and geometry. It keeps the country, the city and the line in the file.
func reshaped(p kmlcsv.Placemark, name string, g orb.Geometry) kmlcsv.Placemark {
	made := kmlcsv.NewPlacemark(name, g)
	made.Country = p.Country
	made.City = p.City
	made.Line = p.Line
	return made
}
