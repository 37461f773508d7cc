package kmlcsv

import (
	"bytes"
	"strconv"

	"github.com/paulmach/orb"
)

// FormatMission is the format of a flight plan from a ground control program for drones, such as Mission Planner or
// QGroundControl: a list of waypoints, or the corners of an area.
const FormatMission Format = "mission"

// missionReader reads flight plans of ground control programs, which call them missions.
type missionReader struct {
	out       *resultBuilder
	waypoints []orb.Point
	first     int  // line of the first waypoint
	fenced    bool // the result has a warning about a geofence
}

var (
	waypointMagic = []byte("QGC WPL")
	polygonMagic  = []byte("#saved by")
)

// startsMission reports whether a text is a list of waypoints or an area of Mission
// Planner or QGroundControl.
func startsMission(data []byte) bool {
	data = bytes.TrimPrefix(data, byteOrderMark)
	return bytes.HasPrefix(data, waypointMagic) ||
		len(data) >= len(polygonMagic) && bytes.EqualFold(data[:len(polygonMagic)], polygonMagic)
}

// parseMission reads the waypoints of a mission as a line, or the corners of an area.
func parseMission(data []byte, opts readOptions) (*Result, *Error) {
	text, _, failed := decodeText(data, "")
	if failed != nil {
		return nil, failed
	}
	m := missionReader{out: newResultBuilder(opts, FormatMission)}
	m.out.openAccount("", "line")
	if bytes.HasPrefix(text, waypointMagic) {
		if failed := m.readLines(text, m.addWaypointLine); failed != nil {
			return nil, failed
		}
		m.addWaypoints("Mission")
		return m.out.finishGIS()
	}
	if failed := m.readLines(text, m.addCorner); failed != nil {
		return nil, failed
	}
	m.addFigureOf("Area", polygonFigure)
	return m.out.finishGIS()
}

// readLines calls add with the fields of each line. Fields are separated by white space or commas. The first line,
// blank lines and comments are only counted.
func (m *missionReader) readLines(text []byte, add func(fields [][]byte)) *Error {
	for line := range bytes.Lines(text) {
		m.out.draft.line++
		if m.out.draft.line%64 == 0 {
			if stop := m.out.checkStop(); stop != nil {
				return stop
			}
		}
		fields := bytes.Fields(bytes.ReplaceAll(line, []byte{','}, []byte{' '}))
		isFirst := m.out.draft.line == 1 // names the program and the format
		if isFirst || len(fields) == 0 || fields[0][0] == '#' {
			m.countOther()
			continue
		}
		add(fields)
	}
	return nil
}

// countOther counts a record that does not belong to a site, such as a comment, in Account.Other.
func (m *missionReader) countOther() {
	m.out.account().Total++
	m.out.account().Other++
}

// addCorner adds the corner in a line with a latitude and a longitude.
func (m *missionReader) addCorner(fields [][]byte) {
	if len(fields) >= 2 {
		lat, latOK := plainNumber(fields[0])
		lng, lngOK := plainNumber(fields[1])
		if latOK && lngOK {
			m.addWaypoint(orb.Point{lng, lat})
			return
		}
	}
	m.skipLine("the line is not a latitude and a longitude")
}

// The columns of a waypoint.
const (
	commandColumn   = 3
	latitudeColumn  = 8
	longitudeColumn = 9
)

// addWaypointLine adds the waypoint in a line. It ignores the waypoint with the number 0, which is the home position
// and not a part of the mission.
func (m *missionReader) addWaypointLine(fields [][]byte) {
	if len(fields) <= longitudeColumn {
		m.skipLine("the line has too few columns for a waypoint")
		return
	}
	command, err := strconv.Atoi(string(fields[commandColumn]))
	lat, latOK := plainNumber(fields[latitudeColumn])
	lng, lngOK := plainNumber(fields[longitudeColumn])
	if err != nil || !latOK || !lngOK {
		m.skipLine("the line is no waypoint")
		return
	}
	if string(fields[0]) == "0" {
		m.countOther()
		return
	}
	m.addCommand(command, orb.Point{lng, lat})
}

// The MAVLink commands that fly to a position.
const (
	navWaypoint         = 16
	navLoiterUnlimited  = 17
	navLoiterTurns      = 18
	navLoiterTime       = 19
	navLoiterToAltitude = 31
	navSplineWaypoint   = 82
)

// fliesToPosition reports whether a MAVLink command makes the drone fly to a position.
func fliesToPosition(command int) bool {
	switch command {
	case navWaypoint, navLoiterUnlimited, navLoiterTurns, navLoiterTime, navLoiterToAltitude, navSplineWaypoint:
		return true
	}
	return false
}

// addCommand adds the position of a command as a waypoint. It ignores commands for which the drone does not fly to a
// position, such as take-off, landing and settings.
func (m *missionReader) addCommand(command int, position orb.Point) {
	if !fliesToPosition(command) || position == zeroPosition {
		m.countOther()
		return
	}
	m.addWaypoint(position)
}

func (m *missionReader) addWaypoint(position orb.Point) {
	m.out.account().Total++
	m.out.account().Parts++
	if len(m.waypoints) == 0 {
		m.first = m.out.draft.line
	}
	m.waypoints = append(m.waypoints, position)
}

func (m *missionReader) skipLine(reason string) {
	since := m.out.startRecord()
	m.out.startPlacemark(m.out.draft.line)
	m.out.skipPlacemark(newError(CoordinatesUnreadable, "%s", reason))
	m.out.draft.name = writeMessage("line %d", m.out.draft.line)
	m.out.finishPlacemark()
	m.out.countRecord(since)
}

// addWaypoints adds one site: the line through all waypoints.
func (m *missionReader) addWaypoints(name string) {
	if n := len(m.waypoints); n > 1 {
		m.out.warnFile(WaypointsJoined, "%d waypoints were joined into one line", n)
	}
	m.addFigureOf(name, lineFigure)
}

// addFigureOf adds one site with all waypoints. If the site is not added, it counts the waypoints as skipped.
func (m *missionReader) addFigureOf(name string, kind figureKind) {
	if len(m.waypoints) == 0 {
		return
	}
	before := len(m.out.res.Placemarks)
	currentLine := m.out.draft.line
	m.out.startPlacemark(m.first) // the site is reported at the line of its first waypoint
	m.out.draft.name = name
	m.out.addChecked(rawFigure{kind: kind, points: m.waypoints})
	m.out.finishPlacemark()
	m.out.draft.line = currentLine
	if len(m.out.res.Placemarks) == before {
		m.out.account().Parts -= len(m.waypoints)
		m.out.account().Skipped += len(m.waypoints)
	}
}

// skipFence counts a geofence, which limits the flight and is not a site. It warns about the first geofence.
func (m *missionReader) skipFence() {
	m.countOther()
	if !m.fenced {
		m.fenced = true
		m.out.warnFile(FenceIgnored, "the geofence is not a site; only survey areas, corridors and waypoints are read")
	}
}
