package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"
)

// Chunks of RFC 9260.
const (
	chunkData             = 0
	chunkInit             = 1
	chunkInitAck          = 2
	chunkSack             = 3
	chunkAbort            = 6
	chunkShutdown         = 7
	chunkShutdownAck      = 8
	chunkCookieEcho       = 10
	chunkCookieAck        = 11
	chunkShutdownComplete = 14
)

const (
	receiveWindow   = 1 << 16
	cookieParameter = 7
	// RTO.Initial of RFC 9260, section 16.
	retransmission = time.Second
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type chunk struct {
	kind, flags byte
	value       []byte
}

type packet struct {
	from, to uint16
	tag      uint32
	chunks   []chunk
}

func (p packet) bytes() []byte {
	out := binary.BigEndian.AppendUint16(nil, p.from)
	out = binary.BigEndian.AppendUint16(out, p.to)
	out = binary.BigEndian.AppendUint32(out, p.tag)
	out = append(out, 0, 0, 0, 0)
	for _, one := range p.chunks {
		out = append(out, one.kind, one.flags)
		out = binary.BigEndian.AppendUint16(out, uint16(4+len(one.value)))
		out = append(out, one.value...)
		for len(out)%4 != 0 {
			out = append(out, 0)
		}
	}
	binary.LittleEndian.PutUint32(out[8:], crc32.Checksum(out, castagnoli))
	return out
}

var (
	errShort    = errors.New("the packet is cut off")
	errChecksum = errors.New("the checksum is wrong")
)

func parsePacket(in []byte) (packet, error) {
	if len(in) < 12 {
		return packet{}, errShort
	}
	sent := binary.LittleEndian.Uint32(in[8:])
	zeroed := append([]byte{}, in...)
	copy(zeroed[8:], []byte{0, 0, 0, 0})
	p := packet{
		from: binary.BigEndian.Uint16(in),
		to:   binary.BigEndian.Uint16(in[2:]),
		tag:  binary.BigEndian.Uint32(in[4:]),
	}
	if crc32.Checksum(zeroed, castagnoli) != sent {
		return p, errChecksum
	}
	for rest := in[12:]; len(rest) >= 4; {
		length := int(binary.BigEndian.Uint16(rest[2:]))
		if length < 4 || length > len(rest) {
			return p, errShort
		}
		p.chunks = append(p.chunks, chunk{rest[0], rest[1], append([]byte{}, rest[4:length]...)})
		rest = rest[min((length+3)/4*4, len(rest)):]
	}
	return p, nil
}

func (p packet) find(kind byte) ([]byte, bool) {
	for _, one := range p.chunks {
		if one.kind == kind {
			return one.value, true
		}
	}
	return nil, false
}

// initValue is the value of INIT and INIT ACK.
func initValue(tag, tsn uint32, parameters []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, tag)
	out = binary.BigEndian.AppendUint32(out, receiveWindow)
	out = binary.BigEndian.AppendUint16(out, 1)
	out = binary.BigEndian.AppendUint16(out, 1)
	out = binary.BigEndian.AppendUint32(out, tsn)
	return append(out, parameters...)
}

func readInit(value []byte) (tag, tsn uint32, err error) {
	if len(value) < 16 {
		return 0, 0, errShort
	}
	return binary.BigEndian.Uint32(value), binary.BigEndian.Uint32(value[12:]), nil
}

func cookieOf(value []byte) ([]byte, error) {
	for rest := value[16:]; len(rest) >= 4; {
		length := int(binary.BigEndian.Uint16(rest[2:]))
		if length < 4 || length > len(rest) {
			break
		}
		if binary.BigEndian.Uint16(rest) == cookieParameter {
			return rest[4:length], nil
		}
		rest = rest[min((length+3)/4*4, len(rest)):]
	}
	return nil, errors.New("the answer has no cookie")
}

// dataChunk is a whole message of stream 0.
func dataChunk(tsn uint32, sequence uint16, text []byte) chunk {
	const beginsAndEnds = 3
	value := binary.BigEndian.AppendUint32(nil, tsn)
	value = binary.BigEndian.AppendUint16(value, 0)
	value = binary.BigEndian.AppendUint16(value, sequence)
	value = binary.BigEndian.AppendUint32(value, 0)
	return chunk{chunkData, beginsAndEnds, append(value, text...)}
}

func readData(value []byte) (tsn uint32, text []byte, err error) {
	if len(value) < 12 {
		return 0, nil, errShort
	}
	return binary.BigEndian.Uint32(value), value[12:], nil
}

func sackChunk(tsn uint32) chunk {
	value := binary.BigEndian.AppendUint32(nil, tsn)
	value = binary.BigEndian.AppendUint32(value, receiveWindow)
	return chunk{chunkSack, 0, append(value, 0, 0, 0, 0)}
}

func randomTag() uint32 {
	var bytes [4]byte
	_, _ = rand.Read(bytes[:])
	return binary.BigEndian.Uint32(bytes[:]) | 1
}

var (
	firstPort  = randomTag() >> 1
	portsGiven atomic.Uint32
)

// nextPort gives each association of this process a port of its own, as the kernel does where it has SCTP: conntrack takes a second INIT from the same port for
// the same association, and drops all that carries another tag.
func nextPort() uint16 {
	return uint16(32768 + (firstPort+portsGiven.Add(1))%28000)
}

// secret of the tags of this process.
var secret = func() []byte {
	bytes := make([]byte, 32)
	_, _ = rand.Read(bytes)
	return bytes
}()

// numbersFor gives a server's tag and first TSN, the same for each copy of an INIT: conntrack demands the tag of the last INIT ACK that it saw, and drops all that
// a client sends with the tag of an earlier one.
func numbersFor(client netip.Addr, port uint16, clientTag uint32) (tag, tsn uint32) {
	hash := hmac.New(sha256.New, secret)
	hash.Write(client.AsSlice())
	hash.Write(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(nil, port), clientTag))
	sum := hash.Sum(nil)
	return binary.BigEndian.Uint32(sum) | 1, binary.BigEndian.Uint32(sum[4:])
}

func rawNetwork(address netip.Addr) string {
	if address.Is4() {
		return "ip4:132"
	}
	return "ip6:132"
}

func ipAddr(address netip.Addr) *net.IPAddr { return &net.IPAddr{IP: address.AsSlice()} }

func listenRaw(address netip.Addr) (*net.IPConn, error) {
	return net.ListenIP(rawNetwork(address), ipAddr(address))
}

// isUnheard is whether the kernel of the server had no room for a packet: for a raw socket with a full buffer it answers that it does not have the protocol.
// A socket reports such an answer once, with the next read or write.
func isUnheard(err error) bool {
	return errors.Is(err, syscall.ENOPROTOOPT) || errors.Is(err, syscall.EPROTO)
}

// serveSCTP keeps all that it knows of an association in the cookie, and what it needs of it afterwards by the client.
//
// It speaks first, as soon as the association is there, with the name and the address of the client; to each message it answers with its length.
func serveSCTP(socket *net.IPConn, name string, port uint16) {
	type client struct {
		address netip.Addr
		port    uint16
	}
	type association struct{ peerTag, ownTag, peerTSN, ownTSN uint32 }
	associations := map[client]association{}
	buffer := make([]byte, 1<<16)
	for {
		n, from, err := socket.ReadFromIP(buffer)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		p, err := parsePacket(buffer[:n])
		if p.to != port {
			continue
		}
		if err != nil {
			fmt.Printf("SCTP from %s: %v\n", from, err)
			continue
		}
		address, _ := netip.AddrFromSlice(from.IP)
		address = address.Unmap()
		who := client{address, p.from}
		reply := func(tag uint32, chunks ...chunk) {
			_, _ = socket.WriteToIP(packet{port, p.from, tag, chunks}.bytes(), ipAddr(address))
		}
		if value, ok := p.find(chunkInit); ok && p.tag == 0 {
			peerTag, peerTSN, err := readInit(value)
			if err != nil {
				continue
			}
			var cookie []byte
			ownTag, ownTSN := numbersFor(address, p.from, peerTag)
			for _, number := range []uint32{peerTag, ownTag, peerTSN, ownTSN} {
				cookie = binary.BigEndian.AppendUint32(cookie, number)
			}
			parameter := binary.BigEndian.AppendUint16(nil, cookieParameter)
			parameter = binary.BigEndian.AppendUint16(parameter, uint16(4+len(cookie)))
			reply(peerTag, chunk{chunkInitAck, 0, initValue(ownTag, ownTSN, append(parameter, cookie...))})
			continue
		}
		if cookie, ok := p.find(chunkCookieEcho); ok && len(cookie) == 16 {
			read := func(i int) uint32 { return binary.BigEndian.Uint32(cookie[4*i:]) }
			one := association{read(0), read(1), read(2), read(3)}
			if p.tag != one.ownTag {
				continue
			}
			associations[who] = one
			reply(one.peerTag, chunk{chunkCookieAck, 0, nil}, dataChunk(one.ownTSN, 0, answerTo(name, address)))
			continue
		}
		one, known := associations[who]
		if !known || p.tag != one.ownTag {
			continue
		}
		if value, ok := p.find(chunkData); ok {
			tsn, text, err := readData(value)
			if err != nil {
				continue
			}
			reply(one.peerTag, sackChunk(tsn), dataChunk(one.ownTSN+1, 1, []byte(fmt.Sprint(len(text)))))
		}
		if _, ok := p.find(chunkShutdown); ok {
			reply(one.peerTag, chunk{chunkShutdownAck, 0, nil})
		}
		if _, ok := p.find(chunkShutdownComplete); ok {
			delete(associations, who)
		}
	}
}

// askSCTP makes an association, hears the server, sends it a message, hears the answer, and ends the association.
func askSCTP(server netip.AddrPort, message []byte, deadline time.Time) (string, error) {
	socket, err := net.DialIP(rawNetwork(server.Addr()), nil, ipAddr(server.Addr()))
	if err != nil {
		return "", err
	}
	defer socket.Close()
	own := nextPort()
	ownTag, ownTSN := randomTag(), randomTag()
	wrong := 0
	send := func(tag uint32, chunks ...chunk) error {
		_, err := socket.Write(packet{own, server.Port(), tag, chunks}.bytes())
		if isUnheard(err) {
			return nil
		}
		return err
	}
	// exchange sends until a packet has this chunk.
	exchange := func(tag uint32, kind byte, chunks ...chunk) (packet, []byte, error) {
		for time.Now().Before(deadline) {
			if err := send(tag, chunks...); err != nil {
				return packet{}, nil, err
			}
			until := earlier(time.Now().Add(retransmission), deadline)
			_ = socket.SetReadDeadline(until)
			buffer := make([]byte, 1<<16)
			for {
				n, _, err := socket.ReadFromIP(buffer)
				if isTimeout(err) {
					break
				}
				if isUnheard(err) {
					continue
				}
				if err != nil {
					return packet{}, nil, err
				}
				p, err := parsePacket(buffer[:n])
				if p.to != own || p.from != server.Port() {
					continue
				}
				if errors.Is(err, errChecksum) {
					wrong++
				}
				if err != nil || p.tag != ownTag {
					continue
				}
				if _, aborted := p.find(chunkAbort); aborted {
					return packet{}, nil, errors.New("the association is aborted")
				}
				if value, ok := p.find(kind); ok {
					return p, value, nil
				}
			}
		}
		if wrong > 0 {
			return packet{}, nil, fmt.Errorf("%d answers with a wrong checksum", wrong)
		}
		return packet{}, nil, errNoAnswer
	}
	// Twice, as where the first answer is late: both answers must fit what conntrack has kept.
	init := chunk{chunkInit, 0, initValue(ownTag, ownTSN, nil)}
	if err := send(0, init); err != nil {
		return "", err
	}
	_, value, err := exchange(0, chunkInitAck, init)
	if err != nil {
		return "", err
	}
	peerTag, _, err := readInit(value)
	if err != nil {
		return "", err
	}
	cookie, err := cookieOf(value)
	if err != nil {
		return "", err
	}
	_, value, err = exchange(peerTag, chunkData, chunk{chunkCookieEcho, 0, cookie})
	if err != nil {
		return "", err
	}
	first, answer, err := readData(value)
	if err != nil {
		return "", err
	}
	for {
		_, value, err = exchange(peerTag, chunkData, sackChunk(first), dataChunk(ownTSN, 0, message))
		if err != nil {
			return "", err
		}
		tsn, length, err := readData(value)
		if err != nil {
			return "", err
		}
		// Otherwise it is what the server said first, again.
		if tsn == first+1 {
			if string(length) != fmt.Sprint(len(message)) {
				return "", fmt.Errorf("%s bytes of %d have arrived", length, len(message))
			}
			break
		}
	}
	if _, _, err := exchange(peerTag, chunkShutdownAck, sackChunk(first+1), chunk{chunkShutdown, 0, binary.BigEndian.AppendUint32(nil, first+1)}); err != nil {
		return "", err
	}
	return string(answer), send(peerTag, chunk{chunkShutdownComplete, 0, nil})
}
