package kmlcsv

import (
	"bytes"
	"slices"
	"strings"
)

// elementNames are those of the elements that the reader knows.
var elementNames = strings.Fields(
	`kml Document Folder Placemark name ExtendedData SchemaData Data SimpleData value
	Point LineString LinearRing Polygon outerBoundaryIs innerBoundaryIs MultiGeometry Track MultiTrack Model
	MultiPoint MultiLineString MultiPolygon coordinates coord
	NetworkLink NetworkLinkControl Update GroundOverlay PhotoOverlay ScreenOverlay Link Url href Schema`,
)

// elementTable is elementNames as a hash table with open addressing, which every
// tag of a file goes through.
var elementTable = func() (t [256]string) {
	for _, name := range elementNames {
		h := elementHash([]byte(name))
		for t[h] != "" {
			h++
		}
		t[h] = name
	}
	return t
}()

func elementHash(name []byte) uint8 {
	return name[0]*7 ^ name[len(name)-1]*31 ^ uint8(len(name))*13
}

// elementOf returns the element of a name without a prefix, "" for one that is not known.
func elementOf(name []byte) string {
	for h := elementHash(name); elementTable[h] != ""; h++ {
		if elementTable[h] == string(name) {
			return elementTable[h]
		}
	}
	return ""
}

// namespaceKind is what a namespace is to the reader.
type namespaceKind uint8

const (
	known   namespaceKind = iota // KML or an extension of it
	foreign                      // anything else
	dji                          // DJI waylines
)

// namespaceScope keeps the declarations in force.
type namespaceScope struct {
	bindings   []namespaceBinding
	foreign    bool // the default namespace is foreign
	unknown    string
	undeclared string // the first prefix without a declaration
	waylines   bool   // a DJI namespace was declared
}

type namespaceBinding struct {
	prefix string
	kind   namespaceKind
	depth  int // of the element that declares it
}

// bindPrefix declares a prefix, "" for none, for the element at a depth from 1 and
// what is inside it. The root's own is taken for KML whatever it says.
func (n *namespaceScope) bindPrefix(prefix, uri []byte, depth int, own bool) {
	kind := vocabularyOf(string(uri))
	if kind == dji {
		n.waylines = true
	}
	if kind == foreign && own {
		kind, n.unknown = known, string(uri)
	}
	n.bindings = append(n.bindings, namespaceBinding{string(prefix), kind, depth})
	n.setDefault()
}

// leaveDepth forgets the declarations of elements deeper than depth.
func (n *namespaceScope) leaveDepth(depth int) {
	for len(n.bindings) > 0 && n.bindings[len(n.bindings)-1].depth > depth {
		n.bindings = n.bindings[:len(n.bindings)-1]
		n.setDefault()
	}
}

func (n *namespaceScope) setDefault() {
	kind, _ := n.lookUp("")
	n.foreign = kind != known
}

func (n *namespaceScope) lookUp(prefix string) (namespaceKind, bool) {
	for i := len(n.bindings) - 1; i >= 0; i-- {
		if n.bindings[i].prefix == prefix {
			return n.bindings[i].kind, true
		}
	}
	return known, false
}

// resolveName returns the element of a name with or without a prefix.
func (n *namespaceScope) resolveName(name []byte) string {
	el := elementOf(name)
	if el != "" {
		if n.foreign {
			return ""
		}
		return el
	}
	if i := bytes.IndexByte(name, ':'); i >= 0 && i+1 < len(name) {
		return n.resolvePrefixed(name[:i], name[i+1:])
	}
	return ""
}

func (n *namespaceScope) resolvePrefixed(prefix, local []byte) string {
	kind, declared := n.lookUp(string(prefix))
	if !declared && n.undeclared == "" && !slices.Contains(usualPrefixes, string(prefix)) {
		n.undeclared = string(prefix)
	}
	if kind != known || !declared && string(prefix) == "wpml" {
		return ""
	}
	return elementOf(local)
}

// usualPrefixes mean the same everywhere, so that leaving out their declaration is no
// loss.
var usualPrefixes = strings.Fields("gx kml atom wpml xal xsi xml")

// addressesOfKML begin the addresses of KML of all versions.
var addressesOfKML = strings.Fields(`www.opengis.net/kml schemas.opengis.net/kml earth.google.com/kml earth.google.com/earth
	www.google.com/kml code.google.com/apis/kml`)

// vocabularyOf knows KML of all versions by any spelling of its address.
func vocabularyOf(uri string) namespaceKind {
	uri = strings.ToLower(strings.TrimSpace(uri))
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "https://"), "http://")
	begins := func(address string) bool { return strings.HasPrefix(uri, address) }
	switch {
	case uri == "", slices.ContainsFunc(addressesOfKML, begins):
		return known
	case strings.Contains(uri, "dji.com/wpmz"), strings.Contains(uri, "uav.com/wpmz"):
		return dji
	}
	return foreign
}
