package shape

import (
	"fmt"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv"
)

// Reshape applies an operation to those placemarks of a file that it can be done with. It
// returns how many it leaves unchanged, and why the first of them. It is an error if
// the operation can be done with none, or fails; the result is then unchanged.
func (op Operation) Reshape(res *kmlcsv.Result) (unchanged int, reason string, err error) {
	if op.JoinsAll() {
		return 0, "", op.joinPlacemarks(res)
	}
	var all []kmlcsv.Placemark
	first := make([]int, len(res.Placemarks)) // new index of each placemark
	changed := make([]bool, len(res.Placemarks))
	for i, p := range res.Placemarks {
		first[i] = len(all)
		if refusal := op.Refusal(p.Geometry); refusal != "" {
			if unchanged++; unchanged == 1 {
				reason = p.Name + ": " + refusal
			}
			all = append(all, p)
			continue
		}
		shapes, err := op.Apply(p.Geometry)
		if err != nil {
			return 0, "", fmt.Errorf("%s: %w", p.Name, err)
		}
		changed[i] = true
		for k, g := range shapes {
			name := p.Name
			if len(shapes) > 1 {
				name = fmt.Sprintf("%s (%d)", p.Name, k+1)
			}
			all = append(all, reshaped(p, name, g))
		}
	}
	if unchanged == len(res.Placemarks) {
		return 0, "", fmt.Errorf("no placemark fits: %s", reason)
	}
	for i := range res.Warnings {
		if old := res.Warnings[i].Index; old >= 0 && old < len(first) {
			moveWarning(&res.Warnings[i], first[old], changed[old])
		}
	}
	res.Placemarks = all
	return unchanged, reason, nil
}

// moveWarning gives a warning the new index of its placemark. The fix for a placemark that was
// changed is of no use.
func moveWarning(w *kmlcsv.Warning, index int, changed bool) {
	w.Index = index
	if changed {
		w.Fixed, w.Fix = nil, ""
	}
}

// joinPlacemarks replaces all placemarks by one.
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

// reshaped returns a placemark with another geometry at the same place.
func reshaped(p kmlcsv.Placemark, name string, g orb.Geometry) kmlcsv.Placemark {
	made := kmlcsv.NewPlacemark(name, g)
	made.Country, made.City, made.Line = p.Country, p.City, p.Line
	return made
}
