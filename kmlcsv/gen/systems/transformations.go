package main

import (
	"encoding/json"
	"log"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// operation is a transformation from a geographic system to WGS 84. Its texts and its area are indexes in the tables of
// the database.
type operation struct {
	pipeline int // -1 if the operation needs a grid
	name     int
	box      int
	accuracy float64 // in metres, -1 if unknown
	offshore bool
	grid     int // file of the grid, if the operation needs one
}

// readTransformations reads the operations from each geographic system to WGS 84 from projinfo. It runs projinfo with
// a folder that has the database but no grids, so that projinfo also lists the operations that PROJ uses without
// grids.
func (d *database) readTransformations(path string) {
	folder, err := os.MkdirTemp("", "systems")
	check(err)
	defer func() { check(os.RemoveAll(folder)) }()
	check(os.Symlink(path, filepath.Join(folder, "proj.db")))
	env := []string{"PROJ_DATA=" + folder, "PROJ_LIB=" + folder, "PROJ_NETWORK=OFF"}
	answers := d.askAll(env)
	for i, s := range d.systems {
		if s.projected {
			continue
		}
		s.operations = len(d.lists)
		d.lists = append(d.lists, d.readOperations(answers[i].withoutGrids, s.meridian))
		d.grids = append(d.grids, d.readGrids(answers[i].all))
	}
}

// projAnswer is the output of projinfo for a geographic system.
type projAnswer struct {
	withoutGrids string // operations that need no grid
	all          string // all operations
}

// askAll runs projinfo for each geographic system, three at once. The result has one answer for each system, in the
// order of d.systems.
func (d *database) askAll(env []string) []projAnswer {
	answers := make([]projAnswer, len(d.systems))
	indexes := make(chan int)
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			for i := range indexes {
				answers[i].withoutGrids = askPROJ(env, d.systems[i], "discard_missing")
				answers[i].all = askPROJ(env, d.systems[i], "none")
			}
		})
	}
	for i, s := range d.systems {
		if !s.projected {
			indexes <- i
		}
	}
	close(indexes)
	workers.Wait()
	return answers
}

// askPROJ returns the operations that projinfo lists for a system. grids is the option for missing grids.
func askPROJ(env []string, s *system, grids string) string {
	return string(run(env, "projinfo", "-s", s.Authority+":"+strconv.Itoa(s.Code), "-t", "EPSG:4326",
		"--spatial-test", "intersects", "--grid-check", grids, "-o", "PROJ,PROJJSON", "--single-line"))
}

var operationText = regexp.MustCompile(`(?s)PROJ string:\n(.*?)\n\nPROJJSON:\n(.*?)\n`)

// operationJSON is an operation as projinfo describes it.
type operationJSON struct {
	Name     string
	Accuracy *string
	Steps    []struct{ Accuracy *string } // of a chain of operations
	Area     string
	Box      *struct {
		West  float64 `json:"west_longitude"`
		South float64 `json:"south_latitude"`
		East  float64 `json:"east_longitude"`
		North float64 `json:"north_latitude"`
	} `json:"bbox"`
}

// describe returns an operation without its pipeline.
func (d *database) describe(text string) operation {
	var j operationJSON
	check(json.Unmarshal([]byte(text), &j))
	o := operation{accuracy: -1, pipeline: -1, offshore: strings.Contains(j.Area, "- offshore")}
	o.accuracy = j.accuracy()
	bounds := box{-180, -90, 180, 90}
	if j.Box != nil {
		bounds = box{j.Box.West, j.Box.South, j.Box.East, j.Box.North}
	}
	o.box = d.boxes.add(bounds)
	o.name = d.operations.add(j.Name)
	return o
}

// accuracy returns the accuracy in metres, or -1 if it is unknown. The accuracy of a chain of operations is the sum of
// the accuracies of its steps, as in PROJ.
func (j *operationJSON) accuracy() float64 {
	parts := []*string{j.Accuracy}
	if j.Accuracy == nil && len(j.Steps) > 0 {
		parts = nil
		for _, step := range j.Steps {
			parts = append(parts, step.Accuracy)
		}
	}
	sum := 0.0
	for _, part := range parts {
		if part == nil {
			return -1
		}
		accuracy, err := strconv.ParseFloat(*part, 64)
		check(err)
		sum += accuracy
	}
	return sum
}

// readOperations reads the operations that package crs can perform.
func (d *database) readOperations(answer string, meridian float64) (list []operation) {
	for _, m := range operationText.FindAllStringSubmatch(answer, -1) {
		steps, ok := simplify(m[1], meridian)
		if !ok {
			continue
		}
		o := d.describe(m[2])
		o.pipeline = d.pipelines.add(steps)
		list = append(list, o)
	}
	return list
}

// readGrids reads the operations that need a grid and are better than 5 m: the best operation for each area.
func (d *database) readGrids(answer string) (best []operation) {
	indexes := map[int]int{} // in best, by the area
	for _, m := range operationText.FindAllStringSubmatch(answer, -1) {
		pipeline := m[1]
		grid := gridText.FindStringSubmatch(pipeline)
		if grid == nil {
			continue
		}
		o := d.describe(m[2])
		if o.accuracy < 0 || o.accuracy >= 5 {
			continue
		}
		o.grid = d.gridFiles.add(grid[1])
		i, isKnown := indexes[o.box]
		if !isKnown {
			indexes[o.box] = len(best)
			best = append(best, o)
		} else if o.accuracy < best[i].accuracy {
			best[i] = o
		}
	}
	return best
}

var gridText = regexp.MustCompile(`(?:grids|model)=([^ ,]+)`)

// simplify returns the steps of a pipeline that change a position, each as a letter and numbers. It
// returns false if package crs cannot perform a step. meridian is the prime meridian of the system.
func simplify(pipeline string, meridian float64) (string, bool) {
	var steps []string
	for _, step := range strings.Split(pipeline, "+step") {
		p := map[string]string{}
		for _, word := range strings.Fields(step) {
			name, value, _ := strings.Cut(strings.TrimPrefix(word, "+"), "=")
			p[name] = value
		}
		text, ok := simplifyStep(p, meridian)
		if !ok {
			return "", false
		}
		if text != "" {
			steps = append(steps, text)
		}
	}
	return strings.Join(steps, ";"), true
}

// simplifyStep returns a step of a pipeline as a letter and numbers, such as "h 598.1 73.7 418.2 0 0 0 0 1" for
// +proj=helmert, or "" if the step does not change a position. p has the parameters of the step. ok is false if package
// crs cannot perform the step.
func simplifyStep(p map[string]string, meridian float64) (text string, ok bool) {
	_, inverse := p["inv"]
	sign := ""
	if inverse {
		sign = "-"
	}
	switch p["proj"] {
	case "pipeline", "axisswap", "unitconvert", "noop", "":
		return "", true
	case "push":
		return "<", true
	case "pop":
		return ">", true
	case "cart":
		return sign + "c " + ellipsoidOf(p), true
	case "helmert":
		text := sign + "h " + numbers(p, "x", "y", "z", "rx", "ry", "rz", "s")
		return text + convention(p), p["exact"] == ""
	case "molobadekas":
		return sign + "m " + numbers(p, "x", "y", "z", "rx", "ry", "rz", "s", "px", "py", "pz") + convention(p), true
	case "longlat":
		return meridianOffset(p["pm"], meridian), inverse
	case "geogoffset":
		return sign + "o " + numbers(p, "dlon", "dlat"), true
	}
	log.Println("no such step:", p)
	return "", false
}

// meridianOffset returns the step that corrects the prime meridian of a system. Package crs moves longitudes from the
// meridian of the system to Greenwich, but a transformation can use a slightly different longitude for this meridian.
// It returns "" if both use the same longitude, or if the transformation gives the meridian by its name.
func meridianOffset(given string, own float64) string {
	v, err := strconv.ParseFloat(given, 64)
	if err != nil || math.Abs(v-own) < 1e-9 {
		return ""
	}
	return "o " + strconv.FormatFloat((v-own)*3600, 'f', 7, 64) + " 0"
}

// convention returns the sign of the rotations: 1 for a position vector, -1 for a
// coordinate frame.
func convention(p map[string]string) string {
	if p["convention"] == "coordinate_frame" {
		return " -1"
	}
	return " 1"
}

// numbers returns the values of parameters, separated by blanks. A missing value is 0.
func numbers(p map[string]string, names ...string) string {
	values := make([]string, len(names))
	for i, name := range names {
		values[i] = p[name]
		if values[i] == "" {
			values[i] = "0"
		}
	}
	return strings.Join(values, " ")
}

// ellipsoidOf returns the radius and the inverse flattening of an ellipsoid of PROJ.
func ellipsoidOf(p map[string]string) string {
	if p["ellps"] != "" {
		p = projEllipsoids()[p["ellps"]]
	}
	if p["b"] != "" {
		a, err := strconv.ParseFloat(p["a"], 64)
		check(err)
		b, err := strconv.ParseFloat(p["b"], 64)
		check(err)
		return p["a"] + " " + strconv.FormatFloat(a/(a-b), 'g', -1, 64)
	}
	if p["R"] != "" {
		return p["R"] + " 0"
	}
	return p["a"] + " " + p["rf"]
}

// projEllipsoids are the ellipsoids that PROJ has names for.
var projEllipsoids = sync.OnceValue(func() map[string]map[string]string {
	found := map[string]map[string]string{}
	for line := range strings.Lines(string(run(nil, "proj", "-le"))) {
		words := strings.Fields(line)
		p := map[string]string{}
		for _, word := range words[1:] {
			name, value, _ := strings.Cut(word, "=")
			p[name] = value
		}
		found[words[0]] = p
	}
	return found
})
