// The other end of packets in tests. `packets serve NAME [PORT]` answers on a port of TCP, UDP and SCTP, of both families, with NAME and the
// address that it sees the client at. `packets ask` asks such servers, side by side: it reads questions as JSON, and prints the answers.
//
// SCTP is spoken over raw sockets, so it needs no support of the kernel: whole associations, with checksums that are verified at both ends.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

type question struct {
	Protocol string `json:"protocol"`
	Address  string `json:"address"`
	Port     int    `json:"port"`
	Bytes    int    `json:"bytes"`
	WaitMs   int    `json:"waitMs"`
}

func main() {
	var err error
	switch {
	case len(os.Args) >= 3 && os.Args[1] == "serve":
		port := 8080
		if len(os.Args) > 3 {
			port, err = strconv.Atoi(os.Args[3])
		}
		if err == nil {
			err = serve(os.Args[2], port)
		}
	case len(os.Args) == 2 && os.Args[1] == "ask":
		err = askAll(os.Stdin, os.Stdout)
	default:
		err = errors.New("usage: packets serve NAME [PORT] | packets ask")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "packets:", err)
		os.Exit(1)
	}
}

func askAll(in io.Reader, out io.Writer) error {
	var questions []question
	if err := json.NewDecoder(in).Decode(&questions); err != nil {
		return err
	}
	answers := make([]string, len(questions))
	var asked sync.WaitGroup
	for i, one := range questions {
		if one.Bytes == 0 {
			one.Bytes = 4
		}
		if one.WaitMs == 0 {
			one.WaitMs = 20_000
		}
		asked.Add(1)
		go func() {
			defer asked.Done()
			answer, err := ask(one)
			if err != nil {
				answer = err.Error()
			}
			answers[i] = strings.TrimSpace(answer)
		}()
	}
	asked.Wait()
	return json.NewEncoder(out).Encode(answers)
}

var errNoAnswer = errors.New("no answer")

func ask(q question) (string, error) {
	address, err := netip.ParseAddr(q.Address)
	if err != nil {
		return "", err
	}
	deadline := time.Now().Add(time.Duration(q.WaitMs) * time.Millisecond)
	server := netip.AddrPortFrom(address, uint16(q.Port))
	payload := []byte(strings.Repeat("x", q.Bytes))
	var answer string
	switch q.Protocol {
	case "TCP":
		answer, err = askTCP(server, payload, deadline)
	case "UDP":
		answer, err = askUDP(server, payload, deadline)
	case "SCTP":
		answer, err = askSCTP(server, payload, deadline)
	default:
		return "", fmt.Errorf("unknown protocol %q", q.Protocol)
	}
	if isTimeout(err) {
		err = errNoAnswer
	}
	return answer, err
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

func askTCP(server netip.AddrPort, payload []byte, deadline time.Time) (string, error) {
	for {
		answer, err := askTCPOnce(server, payload, deadline)
		// A server that has just been started does not listen yet.
		if !errors.Is(err, syscall.ECONNREFUSED) {
			return answer, err
		}
		if time.Now().Add(200 * time.Millisecond).After(deadline) {
			return "", errNoAnswer
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func askTCPOnce(server netip.AddrPort, payload []byte, deadline time.Time) (string, error) {
	dialer := net.Dialer{Deadline: deadline}
	connection, err := dialer.Dial("tcp", server.String())
	if err != nil {
		return "", err
	}
	defer connection.Close()
	_ = connection.SetDeadline(deadline)
	if _, err := connection.Write(payload); err != nil {
		return "", err
	}
	return readOnce(connection)
}

func readOnce(connection io.Reader) (string, error) {
	buffer := make([]byte, 2048)
	n, err := connection.Read(buffer)
	return string(buffer[:n]), err
}

// askUDP accepts answers of the server alone. Its socket is not connected, so an ICMP error ends nothing: a server may not listen yet.
func askUDP(server netip.AddrPort, payload []byte, deadline time.Time) (string, error) {
	network := "udp4"
	if server.Addr().Is6() {
		network = "udp6"
	}
	socket, err := net.ListenUDP(network, nil)
	if err != nil {
		return "", err
	}
	defer socket.Close()
	buffer := make([]byte, 2048)
	for time.Now().Before(deadline) {
		if _, err := socket.WriteToUDPAddrPort(payload, server); err != nil {
			return "", err
		}
		_ = socket.SetReadDeadline(earlier(time.Now().Add(time.Second), deadline))
		for {
			n, from, err := socket.ReadFromUDPAddrPort(buffer)
			if isTimeout(err) {
				break
			}
			if err != nil {
				return "", err
			}
			if from == server {
				return string(buffer[:n]), nil
			}
		}
	}
	return "", errNoAnswer
}

func earlier(one, other time.Time) time.Time {
	if one.Before(other) {
		return one
	}
	return other
}

func serve(name string, port int) error {
	listener, err := net.Listen("tcp", net.JoinHostPort("::", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	go serveAddresses(name, port)
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer connection.Close()
			client := connection.RemoteAddr().(*net.TCPAddr).AddrPort().Addr()
			buffer := make([]byte, 1<<16)
			for {
				if _, err := connection.Read(buffer); err != nil {
					return
				}
				if _, err := connection.Write(answerTo(name, client)); err != nil {
					return
				}
			}
		}()
	}
}

func answerTo(name string, client netip.Addr) []byte {
	return []byte(fmt.Sprintf("%s %s\n", name, client.Unmap().WithZone("")))
}

// serveAddresses has sockets of each address, so that answers come from the address that was asked. Addresses may come later.
func serveAddresses(name string, port int) {
	served := map[netip.Addr]bool{}
	for {
		addresses, _ := net.InterfaceAddrs()
		for _, one := range addresses {
			prefix, err := netip.ParsePrefix(one.String())
			if err != nil || prefix.Addr().IsLinkLocalUnicast() || served[prefix.Addr()] {
				continue
			}
			address := prefix.Addr()
			udp, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(address, uint16(port))))
			if err != nil {
				// Not usable yet; the next time.
				continue
			}
			served[address] = true
			go serveUDP(udp, name)
			raw, err := listenRaw(address)
			if err != nil {
				// Where raw sockets are not allowed, there is no SCTP.
				fmt.Fprintln(os.Stderr, "packets: no SCTP:", err)
				continue
			}
			go serveSCTP(raw, name, uint16(port))
		}
		time.Sleep(500 * time.Millisecond)
	}
}

func serveUDP(socket *net.UDPConn, name string) {
	buffer := make([]byte, 1<<16)
	for {
		_, client, err := socket.ReadFromUDPAddrPort(buffer)
		// An ICMP error of an earlier answer is no reason to stop.
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			_, _ = socket.WriteToUDPAddrPort(answerTo(name, client.Addr()), client)
		}
	}
}
