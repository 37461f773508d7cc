package kmlcsv

import (
	"bytes"
	"slices"
	"strings"
)

// elementNames are the names of the elements that the reader knows.
var elementNames = strings.Fields(
	`kml Document Folder Placemark name ExtendedData SchemaData Data SimpleData value
	Point LineString LinearRing Polygon outerBoundaryIs innerBoundaryIs MultiGeometry Track MultiTrack Model
	MultiPoint MultiLineString MultiPolygon coordinates coord
	NetworkLink NetworkLinkControl Update GroundOverlay PhotoOverlay ScreenOverlay Link Url href Schema`,
)

// elementTable is a hash table of elementNames with open addressing. Every tag is looked up, so the lookup has to be
// fast.
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

// elementOf returns the name of an element as a string, or "" if the element is not in elementNames. It does not
// allocate the string. The name must not have a prefix.
func elementOf(name []byte) string {
	for h := elementHash(name); elementTable[h] != ""; h++ {
		if elementTable[h] == string(name) {
			return elementTable[h]
		}
	}
	return ""
}

// namespaceKind tells whether the elements of a namespace are read.
type namespaceKind uint8

const (
	known   namespaceKind = iota // KML or an extension of it
	foreign                      // anything else
	dji                          // DJI waylines
)

// namespaceScope has the namespaces that were declared for the current element.
type namespaceScope struct {
	bindings   []namespaceBinding
	foreign    bool   // the default namespace is not KML
	unknown    string // namespace of the root element if it is neither of KML nor of DJI
	undeclared string // the first prefix without a declaration
	waylines   bool   // a DJI namespace was declared
}

type namespaceBinding struct {
	prefix string
	kind   namespaceKind
	depth  int // depth of the element that declares the namespace
}

// bindPrefix adds the declaration of a namespace. prefix is "" for the default namespace. depth is the depth of the
// element with the declaration, 1 for the root. isRoot says that the root element itself is in this namespace. Such a
// namespace is always accepted as KML.
func (n *namespaceScope) bindPrefix(prefix, uri []byte, depth int, isRoot bool) {
	kind := namespaceKindOf(string(uri))
	if kind == dji {
		n.waylines = true
	}
	if kind == foreign && isRoot {
		kind = known
		n.unknown = string(uri)
	}
	n.bindings = append(n.bindings, namespaceBinding{string(prefix), kind, depth})
	n.setDefault()
}

// leaveDepth removes the namespaces that were declared by elements deeper than depth.
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

// resolveName returns the name of an element without its prefix. It returns "" if the element is not
// known, or if its namespace is not KML.
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

// usualPrefixes are prefixes that always have the same meaning. There is no warning if their declaration is missing.
var usualPrefixes = strings.Fields("gx kml atom wpml xal xsi xml")

// kmlAddresses are the prefixes of the namespace URIs of all versions of KML.
var kmlAddresses = strings.Fields(`www.opengis.net/kml schemas.opengis.net/kml earth.google.com/kml
	earth.google.com/earth www.google.com/kml code.google.com/apis/kml`)

// namespaceKindOf returns the kind of a namespace by its URI. It ignores case, white space and the scheme.
func namespaceKindOf(uri string) namespaceKind {
	uri = strings.ToLower(strings.TrimSpace(uri))
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "https://"), "http://")
	begins := func(address string) bool { return strings.HasPrefix(uri, address) }
	if uri == "" || slices.ContainsFunc(kmlAddresses, begins) {
		return known
	}
	if strings.Contains(uri, "dji.com/wpmz") || strings.Contains(uri, "uav.com/wpmz") {
		return dji
	}
	return foreign
}
